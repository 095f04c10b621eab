// Measures the finals, which determine the best kernel for each shape.
//
// The finals consist of blocks, each in its own worker process. A block consists of rounds over all
// shapes, and in each round there is one sample per shape and remaining finalist, in random order.
// blocks.hpp decides which finalists continue.
#pragma once

#include "tuner/search/auxiliary_cost.hpp"
#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

// Maximum number of rounds. These are 100 blocks, enough to rank kernels even if their times differ
// by 1 % between processes. Finals that do not have enough time end earlier.
inline constexpr int kMaxRounds = 500;

// Why the finals ended.
enum class FinalsEnd { kDone, kTime, kStopped };

// Measures the finalists in the journal for `rounds` rounds, or until the journal's clock reaches
// `until_s`. A round that is predicted to end later is not started. Rounds that the journal already
// contains count. Returns kDone if no more rounds are needed. Throws DeviceLost and JournalError.
FinalsEnd run_finals(TuneContext& context, double until_s, int rounds);

// Returns the predicted duration of the first `rounds` rounds of these finalists in seconds, based
// on the outcomes of their kernels.
double predicted_finals_s(const Finalists& finalists, const JournalContents& contents,
                          const AuxiliaryCost& auxiliary, const MeasureOptions& options,
                          int rounds);

}  // namespace tilewright
