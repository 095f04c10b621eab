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

// The profile of what the record holds, joined with the one that the tuning adds to.
Profile profile_so_far(const JournalContents& contents, const TuneOptions& options);

// Is the tuning validated? Not if operands are packed in advance, which `bench` does not measure,
// nor without a design, which random products are like, nor where candidates or rounds are counted:
// what such a tuning does must not depend on a clock.
bool is_validated(const TuneOptions& options);

// What a result of `bench` says of a product whose plans are those of the profile; nullopt: the
// chosen plan was not measured. Kernels are known by their names in one of the profiles.
std::optional<ValidatedProduct> validated_product(const BenchResult& result,
                                                  const std::vector<const Profile*>& profiles);

// Measures random products that no earlier line of the record has, until `until_s` of the record's
// clock, or until choices are good; up to `latest_s` while they are bad. The record then holds
// them, so that models and choices follow from them, too. False: a stop was requested.
bool validate(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
              TuneProgress& progress, double until_s, double latest_s);

// Measures products that are held out, unless the record has them. Likewise.
bool hold_out(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
              TuneProgress& progress, double until_s);

}  // namespace tilewright
