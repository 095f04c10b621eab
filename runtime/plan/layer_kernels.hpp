// Which kernels do a network's part between two products?
//
// The decision knows no OpenCL, as that of plan.hpp: records and what was measured in, kernels in
// order of preference out.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/call/epilogue.hpp"
#include "runtime/call/layer_problem.hpp"
#include "runtime/plan/plan_times.hpp"

namespace tilewright {

// Can the device hold the kernel's work-groups, local memory and images?
bool fits(const KernelRecord& record, const DeviceLimits& limits);

// Activation kernels that do an epilogue with matrices of a precision in a layout, best first:
// those that were measured, the fastest first; then those that add a bias only if there is one;
// else earlier profiles first. A kernel that goes along memory is slow on matrices with gaps
// between their rows, and then comes last. Empty for an empty epilogue.
std::vector<const KernelRecord*> rank_activations(const std::vector<const Profile*>& profiles,
                                                  const MeasuredTimes& times,
                                                  const DeviceLimits& limits, Precision precision,
                                                  const LayerEpilogue& epilogue,
                                                  const Layout& layout, bool gaps);

// Where an activation goes along memory, it takes it for rows of so many elements: no more than a
// net has zeros, for kernels that add a bias.
inline constexpr std::size_t kMemoryRow = 64;

// What activations a layer has for a matrix that lies in a layout without gaps.
struct LayerChoices {
  std::vector<const KernelRecord*> kernels;  // best first
  // They are for plain rows, and go along memory, padding and all: without a bias every element is
  // as good as any other.
  bool along_memory = false;
};
LayerChoices activations_in(const std::vector<const Profile*>& profiles, const MeasuredTimes& times,
                            const DeviceLimits& limits, Precision precision,
                            const LayerEpilogue& epilogue, const Layout& layout, bool gaps);

// The problem of an activation kernel on m x n elements that lie in its layout, padded to whole
// chunks; without bias and slope.
ActivationProblem padded_activation(const KernelRecord& record, std::int64_t m, std::int64_t n,
                                    const MatrixArgument& x, const MatrixArgument& y);
// The same on all that a matrix takes in memory, in place: whole rows of kMemoryRow elements.
ActivationProblem along_memory(const MatrixArgument& x, std::size_t elements);

// Softmax kernels, with kLogSoftmax those of the logarithm, for such matrices, best first: those
// that were measured, the fastest first; else earlier profiles first.
std::vector<const KernelRecord*> rank_softmaxes(const std::vector<const Profile*>& profiles,
                                                const MeasuredTimes& times,
                                                const DeviceLimits& limits, Precision precision,
                                                Activation applied, const Layout& layout);

// The problem of a softmax kernel on m rows of n elements in its layout, padded with zeros to so
// many columns at least.
SoftmaxProblem padded_softmax(const KernelRecord& record, std::int64_t m, std::int64_t n,
                              std::int64_t columns, const MatrixArgument& x,
                              const MatrixArgument& y);

}  // namespace tilewright
