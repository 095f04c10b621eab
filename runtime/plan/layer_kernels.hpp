// Chooses the kernels that run between the products of a network.
//
// As in plan.hpp, the decision uses no OpenCL: it maps records and measured times to kernels in
// order of preference.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/call/epilogue.hpp"
#include "runtime/call/layer_problem.hpp"
#include "runtime/plan/plan_times.hpp"

namespace tilewright {

// True if the device supports the kernel's work-groups, local memory and images.
bool fits(const KernelRecord& record, const DeviceLimits& limits);

// Activation kernels that implement an epilogue for row-major matrices of a precision, best first:
// measured kernels, fastest first; then the others, where those that add a bias are preferred only
// if there is a bias, and earlier profiles come first. A kernel that processes memory linearly is
// slow on matrices with gaps between rows and comes last for them. Empty for an empty epilogue.
std::vector<const KernelRecord*> rank_activations(const std::vector<const Profile*>& profiles,
                                                  const MeasuredTimes& times,
                                                  const DeviceLimits& limits, Precision precision,
                                                  const LayerEpilogue& epilogue, bool gaps);

// Softmax kernels (with kLogSoftmax those of the logarithm) for such matrices, best first: measured
// kernels, fastest first; then earlier profiles first.
std::vector<const KernelRecord*> rank_softmaxes(const std::vector<const Profile*>& profiles,
                                                const MeasuredTimes& times,
                                                const DeviceLimits& limits, Precision precision,
                                                Activation applied);

}  // namespace tilewright
