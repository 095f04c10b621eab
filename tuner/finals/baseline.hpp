// What would serve without this tuning, and what is known of it?
//
// The built-in profile's kernels, exactly as they are. They are in every line-up, and in the
// profile with their times, so that what is slower than they are never serves.
#pragma once

#include <vector>

#include "codelets/point/validity.hpp"
#include "tuner/records/outcome.hpp"

namespace tilewright {

// The built-in kernels of an op, in the order in which a library would take them.
// Empty for TT, which is served by packing.
std::vector<KernelId> built_in_kernels(Op op, const SpaceLimits& limits);

// The outcome of a built-in kernel as such; null: it was not tried yet.
const Outcome* built_in_outcome(const std::vector<Outcome>& outcomes, const KernelId& kernel);

// The built-in kernel that works for the op, by the outcomes; no kernel: none was tried, or none
// works.
KernelId baseline_of(const std::vector<Outcome>& outcomes, Op op, const SpaceLimits& limits);

// Was it found out for the op what the built-in kernels do? Also where none works.
bool has_baseline(const std::vector<Outcome>& outcomes, Op op, const SpaceLimits& limits);

}  // namespace tilewright
