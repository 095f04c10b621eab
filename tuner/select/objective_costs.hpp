// Weighs the times of plans by the objective of a tuning.
#pragma once

#include "tuner/journal/journal.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {

// Samples of energy of each finalist on each shape.
inline constexpr int kEnergySamples = 3;

// For another objective than time, sets the energy of the plans, and the factors of
// PlanTime::cost_ns() exactly as the library weighs the kernels of a profile
// (runtime/plan/objective_factors.hpp). A plan whose energy was measured counts as a survivor of
// the finals: those who drop out are slower, but may need less energy.
void weigh_by_objective(const JournalContents& contents, Standings& standings);

}  // namespace tilewright
