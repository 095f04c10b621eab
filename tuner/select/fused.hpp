// Which kernels do a network's part beside the product, and which must still be tried?
//
// A layer's bias and activation cost next to nothing where the product's kernel does them as it
// stores a result. So the kernels that a tuning has chosen for X W (op NN) are emitted once more,
// from the same point with bias and activation set. Pure.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "tuner/select/selection.hpp"

namespace tilewright {

// The point with a bias for each column of C and the activation. nullopt: it has no place for them
// (a kernel that splits k leaves parts, and is followed by a reduce kernel that may have them).
// nullopt, too, for another form of exp() where the activation does not call it.
std::optional<ParameterPoint> fused_point(ParameterPoint plain, Activation activation,
                                          Exponential exp = Exponential::kExp);
// Of outcomes of fused kernels, is there a better one that differs from this one of them in the
// form of exp() alone? By the shapes that both were measured on; of two as fast, or with none in
// common, the first is better.
bool has_better_form(const Outcome& outcome, const std::vector<Outcome>& outcomes);

// A chosen kernel, the shapes on which the fused one is measured beside it, and what it takes
// there, in ns.
struct FusedTask {
  KernelId plain;
  std::vector<GemmShape> shapes;
  std::vector<double> plain_ns;
  bool operator==(const FusedTask&) const = default;
};
// The point with its result as it reads A, so that the next layer's product has nothing to pack (R
// has I's layout: low-power thesis, chapter 5). nullopt: A lies row by row as it is, or in an
// image, or the kernel has no other C.
std::optional<ParameterPoint> chained_point(ParameterPoint plain);

// One for each chosen kernel that serves op NN, in the order of the choice: on up to four of the
// shapes where it is the best chosen one, from the least to the largest; where it is the best
// nowhere, on the first that it serves.
std::vector<FusedTask> fused_tasks(const Standings& standings, const Portfolio& portfolio);

// What is demanded of kernels that run beside products: for each activation, with a bias, one that
// goes along memory and one that does not (matrices with gaps between their rows want the latter);
// softmax; both once more for each layout in which chosen kernels can leave a batch
// (chained_point); and, if a chosen kernel for op NN splits k, one that adds up parts and then does
// these.
std::set<ParameterPoint> layer_requirements(const std::vector<Activation>& activations,
                                            bool softmax, const std::vector<FusedTask>& tasks,
                                            Precision precision = Precision::kSingle);

}  // namespace tilewright
