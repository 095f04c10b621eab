// What would serve without this tuning, and what is known of it?
//
// The built-in profile's kernels, exactly as they are. They are in every line-up, and in the
// profile with their times, so that what is slower than they are never serves.
#pragma once

#include <vector>

#include "codelets/point/validity.hpp"
#include "tuner/journal/records/outcome.hpp"

namespace tilewright {

// The built-in kernels of an op, in the order in which a library would take them.
// Empty for TT, which is served by packing.
std::vector<KernelId> built_in_kernels(Op op, const SpaceLimits& limits,
                                       Precision precision = Precision::kSingle);

// The outcome of a built-in kernel as such; null: it was not tried yet.
const Outcome* built_in_outcome(const std::vector<Outcome>& outcomes, const KernelId& kernel);

// Those that work, by the outcomes: one, or more where the first cannot be measured on all shapes.
std::vector<KernelId> working_built_in(const std::vector<Outcome>& outcomes, Op op,
                                       const SpaceLimits& limits,
                                       Precision precision = Precision::kSingle);

// Was it found out what the built-in kernels of the op do on the shape? Also where none works, or
// none can be measured there: it does not fit, or one dispatch takes too long.
bool has_baseline(const std::vector<Outcome>& outcomes, Op op, const GemmShape& shape,
                  const SpaceLimits& limits, Precision precision = Precision::kSingle);

}  // namespace tilewright
