// How does a tuning find what networks need beside plain products?
//
// After the finals, in a small part of the time: the chosen kernels are tried with bias and
// activation, each verified as any candidate and measured beside the plain one; and kernels are
// looked for that do bias and activation, or softmax, by themselves. All of it is in the journal.
#pragma once

#include <optional>
#include <string>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/tuning/tuning.hpp"

namespace tilewright {

// Is anything of it asked for?
bool for_networks(const TuneOptions& options);

// Does what options.activations and options.softmax ask for and the record does not hold yet, until
// `until_s` of the record's clock. A sentence about what there was no time for; nullopt: nothing,
// or a stop was requested.
std::optional<std::string> tune_for_networks(DeviceWorker& worker, TuningJournal& record,
                                             const TuneOptions& options,
                                             const MeasureOptions& measure, double until_s);

}  // namespace tilewright
