// Determines which kernels with the bias and activation of a network must be tried.
//
// Bias and activation cost next to nothing if the product kernel applies them when it stores a
// result. Therefore the kernels that a tuning has chosen for op NN are emitted again from the same
// points with bias and activation. These functions do not access a device.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "tuner/select/selection.hpp"

namespace tilewright {

// Returns the point with a bias per column of C and with the activation. Returns nullopt if the
// kernel does not support these (a kernel that splits k stores parts; the reduction kernel after it
// may apply them), or if `exp` is not the default although the activation does not call exp().
std::optional<ParameterPoint> fused_point(ParameterPoint plain, Activation activation,
                                          Exponential exp = Exponential::kExp);
// Returns true if the outcomes of fused kernels contain a better kernel that differs from this one
// only in the form of exp(). They are compared on the shapes on which both were measured; if they
// are equally fast or have no shape in common, the earlier one is better.
bool has_better_form(const Outcome& outcome, const std::vector<Outcome>& outcomes);

// A chosen kernel, with the shapes on which its fused variants are measured, and its times on these
// shapes in ns.
struct FusedTask {
  KernelId plain;
  std::vector<GemmShape> shapes;
  std::vector<double> plain_ns;
  bool operator==(const FusedTask&) const = default;
};

// Returns a task for each chosen kernel that supports op NN, in the order of the choice. A task has
// up to four of the shapes on which the kernel is the best chosen one, from the smallest to the
// largest. If it is the best nowhere, it has the first shape that the kernel supports.
std::vector<FusedTask> fused_tasks(const Standings& standings, const Portfolio& portfolio);

// Returns the auxiliary kernels that networks require:
// - for each activation, with a bias, a flat kernel for contiguous matrices, and a kernel that
//   permits gaps between rows;
// - if `softmax` is true, a softmax kernel;
// - for each activation, if a chosen kernel for op NN splits k, a reduction kernel that applies
//   bias and activation.
std::set<ParameterPoint> layer_requirements(const std::vector<Activation>& activations,
                                            bool softmax, const std::vector<FusedTask>& tasks,
                                            Precision precision = Precision::kSingle);

}  // namespace tilewright
