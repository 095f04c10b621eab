// Determines the baseline: the kernels that an application would use without this tuning.
//
// These are the kernels of the built-in profile, unchanged. They take part in every final, and the
// profile contains them with their times, so that the library never prefers a slower kernel to
// them.
#pragma once

#include <vector>

#include "codelets/point/validity.hpp"
#include "tuner/journal/records/outcome.hpp"

namespace tilewright {

// Returns the built-in kernels for an op, in the order in which the library prefers them. Empty for
// TT, which needs packing.
std::vector<KernelId> built_in_kernels(Op op, const SpaceLimits& limits,
                                       Precision precision = Precision::kSingle);

// Returns the outcome of a built-in kernel as the baseline; nullptr if it was not tried yet.
const Outcome* built_in_outcome(const std::vector<Outcome>& outcomes, const KernelId& kernel);

// Returns the built-in kernels that work according to the outcomes. There may be more than one, if
// the first cannot be measured on all shapes.
std::vector<KernelId> working_built_in(const std::vector<Outcome>& outcomes, Op op,
                                       const SpaceLimits& limits,
                                       Precision precision = Precision::kSingle);

// Returns true if it is known what the built-in kernels for the op do on the shape. This includes
// that none of them works or can be measured there, because the shape is not supported or one
// launch takes too long.
bool has_baseline(const std::vector<Outcome>& outcomes, Op op, const GemmShape& shape,
                  const SpaceLimits& limits, Precision precision = Precision::kSingle);

}  // namespace tilewright
