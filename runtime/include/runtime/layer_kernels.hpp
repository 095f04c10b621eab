// Which kernels do a network's part between two products?
//
// The decision knows no OpenCL, as that of plan.hpp: records and what was measured in, kernels in
// order of preference out. The matrices lie row by row.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/demand.hpp"
#include "runtime/plan_times.hpp"

namespace tilewright {

// Can the device hold the kernel's work-groups, local memory and images?
bool fits(const KernelRecord& record, const DeviceLimits& limits);

// Activation kernels that do what is demanded, best first: those that were measured, the fastest
// first; then those that add a bias only if there is one; else earlier profiles first. A kernel
// that goes along memory is slow on matrices with gaps between their rows, and then comes last.
// Empty for an empty demand.
std::vector<const KernelRecord*> rank_activations(const std::vector<const Profile*>& profiles,
                                                  const MeasuredTimes& times,
                                                  const DeviceLimits& limits, const Demand& demand,
                                                  bool gaps);

// Softmax kernels, best first: those that were measured, the fastest first; else earlier profiles
// first.
std::vector<const KernelRecord*> rank_softmaxes(const std::vector<const Profile*>& profiles,
                                                const MeasuredTimes& times,
                                                const DeviceLimits& limits);

}  // namespace tilewright
