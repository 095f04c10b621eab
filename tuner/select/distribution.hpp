// How good are kernels on shapes that nobody measured?
//
// Where the shapes of a tuning are of a design, they stand for all that somebody may want. A choice
// of kernels is then judged by what models predict for random shapes, too. Pure.
#pragma once

#include "tuner/select/selection.hpp"

namespace tilewright {

// The standings with problems on 400 random shapes for each op, of which a plan takes what
// the model of its kernel predicts (model_fit.hpp, MeasuredTimes::kernel_ns()). Together they
// weigh twice what the measured ones of the design do; a shape that was asked for weighs four times
// as much as one of the design. Without a design: the standings as they are.
Standings over_distribution(Standings standings, const JournalContents& contents);

// What a profile would have, at most so many kernels (0: as many as change anything).
Portfolio make_portfolio(const JournalContents& contents, const Standings& standings,
                         int max_kernels);

}  // namespace tilewright
