// Measures whole calls of random products with the profile that a tuning would write.
#pragma once

#include <optional>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/bench/bench_report.hpp"
#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/tuning/tune_options.hpp"
#include "tuner/tuning/tune_progress.hpp"

namespace tilewright {

// Returns true if the tuning is validated. It is not if operands are packed in advance, because
// `bench` does not measure this; without a design, because random products follow the design; or if
// candidates or rounds are limited, because such a tuning must not depend on a clock.
bool is_validated(const TuneOptions& options);

// Converts a result of `bench` for a product with plans of the profile. Returns nullopt if the
// chosen plan was not measured. Kernels are looked up by their names in the profiles.
std::optional<ValidatedProduct> validated_product(const BenchResult& result,
                                                  const std::vector<const Profile*>& profiles);

// Measures random products that the journal does not contain yet, until `until_s` on the journal's
// clock, or until the choices are good; up to `latest_s` while they are bad. The results are added
// to the journal, so that models and choices use them. Returns false if a stop was requested.
bool validate(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
              TuneProgress& progress, double until_s, double latest_s);

// Measures the products that are held out, unless the journal contains them. Returns false if a
// stop was requested.
bool hold_out(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
              TuneProgress& progress, double until_s);

}  // namespace tilewright
