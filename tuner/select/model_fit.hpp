// How long does each kernel take on shapes that nobody measured?
//
// Fits the parameters of kernel models to the results of a profile. Pure.
#pragma once

#include <vector>

#include "profiles/profile.hpp"

namespace tilewright {

// What a kernel took on one shape, and the terms of its model there.
struct ModelRow {
  ModelTerms terms{};
  double ns = 0.0;
};

// The parameters that predict the rows best: least squares of relative errors, none negative
// (Lawson and Hanson 1974, "Solving least squares problems", chapter 23, here by coordinate
// descent), and large errors counting less (Huber 1964, "Robust estimation of a location
// parameter"). What the rows do not tell is as in `prior`, as many times longer as the rows are.
// Without rows: the prior.
KernelModel fitted(const std::vector<ModelRow>& rows, const KernelModel& prior);

// Is it asked how far models are off? To find it takes five fits more.
enum class ModelErrors { kKnown, kNotAsked };

// Gives each kernel for products that has results a model, in the order of kernels. The prior is
// one model for all rows of the kernels of its role. One with few results is as one that works alike, as many
// times longer as on the shapes of both.
// The error of a model is that on each fifth of the rows, left out in turns.
void fit_models(Profile& profile, ModelErrors errors = ModelErrors::kKnown);

// Over all models: the middle of the errors; 0: none is known.
double typical_error(const std::vector<KernelModel>& models);

}  // namespace tilewright
