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

// Activation kernels that implement an epilogue for matrices of a precision and layout, best first:
// measured kernels, fastest first; then the others, where those that add a bias are preferred only
// if there is a bias, and earlier profiles come first. A kernel that processes memory linearly is
// slow on matrices with gaps between rows and comes last for them. Empty for an empty epilogue.
std::vector<const KernelRecord*> rank_activations(const std::vector<const Profile*>& profiles,
                                                  const MeasuredTimes& times,
                                                  const DeviceLimits& limits, Precision precision,
                                                  const LayerEpilogue& epilogue,
                                                  const Layout& layout, bool gaps);

// Row length, in elements, that an activation along memory assumes. It must not exceed the zeros
// that a network provides for kernels that add a bias.
inline constexpr std::size_t kMemoryRow = 64;

// The activation kernels of a layer for a matrix without gaps.
struct LayerChoices {
  std::vector<const KernelRecord*> kernels;  // best first
  // The kernels treat the memory as plain rows, including padding. This is possible without a bias,
  // because then all elements are processed in the same way.
  bool along_memory = false;
};
// Returns the kernels for the layout. If there are none and the epilogue has no bias, returns those
// for plain rows, to be used along memory.
LayerChoices activations_in(const std::vector<const Profile*>& profiles, const MeasuredTimes& times,
                            const DeviceLimits& limits, Precision precision,
                            const LayerEpilogue& epilogue, const Layout& layout, bool gaps);

// The problem of an activation kernel for m x n elements in its layout, padded to whole chunks;
// without bias and slope.
ActivationProblem padded_activation(const KernelRecord& record, std::int64_t m, std::int64_t n,
                                    const MatrixArgument& x, const MatrixArgument& y);
// The problem for the whole memory of a matrix, in place, as rows of kMemoryRow elements.
ActivationProblem along_memory(const MatrixArgument& x, std::size_t elements);

// Softmax kernels (with kLogSoftmax those of the logarithm) for such matrices, best first: measured
// kernels, fastest first; then earlier profiles first.
std::vector<const KernelRecord*> rank_softmaxes(const std::vector<const Profile*>& profiles,
                                                const MeasuredTimes& times,
                                                const DeviceLimits& limits, Precision precision,
                                                Activation applied, const Layout& layout);

// The problem of a softmax kernel for m rows of n elements in its layout, padded with zeros to at
// least `columns` columns.
SoftmaxProblem padded_softmax(const KernelRecord& record, std::int64_t m, std::int64_t n,
                              std::int64_t columns, const MatrixArgument& x,
                              const MatrixArgument& y);

}  // namespace tilewright
