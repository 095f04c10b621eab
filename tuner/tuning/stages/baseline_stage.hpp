// What would serve without this tuning?
//
// The built-in profile's kernels, exactly as they are: measured before any candidate, for every op
// and on every shape. They are in every line-up, and in the profile with their times, so that what
// is slower than they are never serves.
#pragma once

#include <functional>
#include <variant>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"

namespace tilewright {

// A trial ends at the first shape on which one dispatch would take too long. The others count: they
// are tried anew, and the outcome holds all samples. It works if there are some.
using Try = std::function<std::variant<Outcome, Stopped>(const MeasureRequest&)>;
std::variant<Outcome, Stopped> try_on_all(MeasureRequest request, const Try& trial);

// Tries what the record does not hold yet: of each op its built-in kernels, until each shape has
// been measured. `done` is told each outcome. False: a stop was requested.
bool measure_baseline(DeviceWorker& worker, TuningJournal& record, const MeasureOptions& measure,
                      const std::function<void(const Outcome&)>& done);

}  // namespace tilewright
