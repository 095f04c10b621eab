// What would serve without this tuning?
//
// The built-in profile's kernels, exactly as they are: measured before any candidate, for every op
// and on every shape. They are in every line-up, and in the profile with their times, so that what
// is slower than they are never serves.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tuner/crew.hpp"
#include "tuner/tuning_record.hpp"

namespace tilewright {

// The built-in kernels of an op, as points' text, in the order in which a library would take them.
// Empty for TT, which is served by packing.
std::vector<std::string> built_in_kernels(Op op, const SpaceLimits& limits);

// The point of the built-in kernel that works for the op, by the outcomes; "": none was tried, or
// none works.
std::string baseline_of(const std::vector<Outcome>& outcomes, Op op, const SpaceLimits& limits);

// Was it found out for the op what the built-in kernels do? Also where none works.
bool has_baseline(const std::vector<Outcome>& outcomes, Op op, const SpaceLimits& limits);

// Tries what the record does not hold yet: of each op its built-in kernels until one works. `done`
// is told each outcome. False: a stop was requested.
bool measure_baseline(Crew& crew, TuningRecord& record, const MeasureOptions& measure,
                      const std::function<void(const Outcome&)>& done);

}  // namespace tilewright
