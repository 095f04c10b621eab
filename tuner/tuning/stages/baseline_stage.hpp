// Measures the baseline: the kernels that an application would use without this tuning.
//
// These are the kernels of the built-in profile, unchanged. They are measured before any candidate,
// for every op and on every shape. They take part in every final, and the profile contains them
// with their times, so that the library never prefers a slower kernel to them.
#pragma once

#include <functional>
#include <variant>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"

namespace tilewright {

// Runs one trial.
using Try = std::function<std::variant<Outcome, Stopped>(const MeasureRequest&)>;
// Tries a kernel on all shapes of a request. A trial ends at the first shape on which one launch
// would take too long; the remaining shapes are then tried in another trial. The outcome contains
// the samples of all trials, and is ok if there are any.
std::variant<Outcome, Stopped> try_on_all(MeasureRequest request, const Try& trial);

// Tries the built-in kernels of each op until every shape has been measured, without those that the
// journal contains. Calls `done` with each outcome. Returns false if a stop was requested.
bool measure_baseline(DeviceWorker& worker, TuningJournal& record, const MeasureOptions& measure,
                      const std::function<void(const Outcome&)>& done);

}  // namespace tilewright
