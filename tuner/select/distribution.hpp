// Evaluates kernels on shapes that were not measured.
//
// If the shapes of a tuning come from a design, they represent all shapes that users may need. A
// choice of kernels is then evaluated on the predicted times for random shapes, too. These
// functions do not access a device.
#pragma once

#include "tuner/select/selection.hpp"

namespace tilewright {

// Adds 400 random shapes for each op as problems. On these, a plan takes the time that its kernel's
// model predicts (model_fit.hpp, MeasuredTimes::kernel_ns()); these models are fitted to the
// standings, only for this. Together they have twice the weight
// of the measured shapes of the design, and a shape that the user asked for has four times the
// weight of one of the design. Without a design the standings are returned unchanged.
Standings over_distribution(Standings standings, const JournalContents& contents);

// Sets the weights of the problems of standings(): a shape that the user asked for has four times
// the weight of one of the design.
void weigh_measured(Standings& standings, const JournalHeader& header);

// Returns the kernels that a profile would contain, at most `max_kernels` (0: as many as improve
// it).
Portfolio make_portfolio(const JournalContents& contents, const Standings& standings,
                         int max_kernels);

}  // namespace tilewright
