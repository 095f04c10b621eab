// What would serve without this tuning, and what is known of it?
//
// The built-in profile's kernels, exactly as they are. They are in every line-up, and in the
// profile with their times, so that what is slower than they are never serves.
#pragma once

#include <string>
#include <vector>

#include "codelets/point/validity.hpp"
#include "tuner/records/outcome.hpp"

namespace tilewright {

// The built-in kernels of an op, as points' text, in the order in which a library would take them.
// Empty for TT, which is served by packing.
std::vector<std::string> built_in_kernels(Op op, const SpaceLimits& limits);

// The outcome of a built-in kernel as such; null: it was not tried yet.
const Outcome* built_in_outcome(const std::vector<Outcome>& outcomes, const std::string& point);

// The point of the built-in kernel that works for the op, by the outcomes; "": none was tried, or
// none works.
std::string baseline_of(const std::vector<Outcome>& outcomes, Op op, const SpaceLimits& limits);

// Was it found out for the op what the built-in kernels do? Also where none works.
bool has_baseline(const std::vector<Outcome>& outcomes, Op op, const SpaceLimits& limits);

}  // namespace tilewright
