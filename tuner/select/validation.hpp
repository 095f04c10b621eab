// How good are the choices of a profile on products that nobody tuned?
//
// Random products are measured as whole calls: the plan that runs, the next best predicted ones and
// what runs without the profile, in turns. What was measured goes into the models, and kernels are
// chosen again. In the end other products, which took no part in that, show how good the choice is.
// Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tuner/select/selection.hpp"

namespace tilewright {

struct RandomProduct {
  Op op;
  GemmShape shape;
};

// Random products of the kind that a tuning without --shapes is for, as many for each op of the
// tuning. Each `draw` has others.
std::vector<RandomProduct> random_products(const JournalHeader& header, std::size_t count,
                                           std::size_t draw);

// By how much longer the chosen plans take than the best known ones: 0.02 is 2 %, in the geometric
// mean. 0 for no products.
double regret(std::span<const ValidatedProduct> products);

// What kernels take on the products that are not held out, alone, as models count it: without the
// launch of a call and what runs in addition to the kernel, in the time scale of the finals.
// Results with names of kernels, their ops, shapes and medians.
std::vector<ShapeResult> validated_results(const JournalContents& contents);

// Summarizes the products that were held out; Validation{} if there are none.
Validation summarize_validation(const JournalContents& contents);

// Returns two sentences for the summary; none if nothing was validated.
std::vector<std::string> validation_lines(const Validation& validation);

}  // namespace tilewright
