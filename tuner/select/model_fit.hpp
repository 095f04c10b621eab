// Fits the performance models of kernels, which predict times on shapes that were not measured.
//
// The parameters are fitted to the results of a profile. These functions do not access a device.
#pragma once

#include <vector>

#include "profiles/profile.hpp"

namespace tilewright {

// The time of a kernel on one shape, and the terms of its model there.
struct ModelRow {
  ModelTerms terms{};
  double ns = 0.0;
};

// Returns the parameters that predict the rows best. This minimizes the squared relative errors
// with non-negative parameters (Lawson and Hanson 1974, "Solving least squares problems", chapter
// 23, here by coordinate descent) and reduces the weight of large errors (Huber 1964, "Robust
// estimation of a location parameter"). Parameters that the rows do not determine are taken from
// `prior`, scaled by the ratio of the measured times to its predictions. Without rows the prior is
// returned.
KernelModel fitted(const std::vector<ModelRow>& rows, const KernelModel& prior);

// Replaces profile.models by a model for each product kernel that has results in the profile and
// neither bias nor activation, in the order of profile.kernels. The prior of a fit is a model of
// all results of kernels with the same precision and role. A kernel with fewer than eight results
// gets the model of a kernel that does the same work and has enough, multiplied by the geometric
// mean ratio of their times on common shapes.
//
// KernelModel::error is measured by cross-validation: each fifth of the results is predicted by a
// fit to the others. It is 0 for multiplied models, and for kernels with fewer than five results.
//
// `more`: further results for kernels that have results in the profile; others are ignored.
void fit_models(Profile& profile, const std::vector<ShapeResult>& more = {});

// Returns the median error over all models; 0 if none is known.
double typical_error(const std::vector<KernelModel>& models);

}  // namespace tilewright
