// Measures the finals, which determine the best kernel for each shape.
//
// The best candidates of each op and the baseline kernels (decide.hpp) are measured on all shapes.
// Before that, the auxiliary kernels that they require are found. The finals consist of blocks,
// each in its own worker process. A block consists of rounds over all shapes, and in each round
// there is one sample per shape and remaining finalist, in random order. blocks.hpp decides which
// finalists continue.
#pragma once

#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

// Maximum number of rounds. These are 100 blocks, enough to rank kernels even if their times differ
// by 1 % between processes. Finals that do not have enough time end earlier.
inline constexpr int kMaxRounds = 500;

// Runs the finals until the journal's clock reaches `until_s`, or continues those in the journal.
// If pack kernels take longer than their share, finals still get a share of the time to `end_s`,
// the end of all that may change the choice of kernels. Returns false if a stop was requested.
// Throws NoUsableKernel, DeviceLost and JournalError.
bool hold_finals(TuneContext& context, double until_s, double end_s);

// Measures the finalists in the journal for `rounds` rounds, or until the journal's clock reaches
// `until_s`. A round that is predicted to end later is not started. Rounds that the journal already
// contains count. Returns false if a stop was requested. Throws DeviceLost and JournalError.
bool run_finals(TuneContext& context, double until_s, int rounds);

}  // namespace tilewright
