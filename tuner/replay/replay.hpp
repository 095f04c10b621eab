// Which search strategy finds most, in which time, on a device whose journal we have?
//
// Pure: a strategy proposes, the journal answers what its candidate cost and how fast it was. A
// candidate takes as long as it took when it was recorded; nothing is compiled or measured. Spaces
// and costs are those of the tuning that wrote the journal; first points too, but for those of
// other profiles (--warm-start). What finals would choose of what was found it does not say.
#pragma once

#include <string>
#include <vector>

#include "tuner/records/journal.hpp"
#include "tuner/records/statistics.hpp"
#include "tuner/search/search.hpp"
#include "tuner/search/tune_options.hpp"

namespace tilewright {

struct ReplayOptions {
  std::vector<StrategyKind> strategies;
  std::vector<double> budgets_s;  // of search, for each phase
  int seeds = 20;                 // each strategy runs with seeds 1 .. seeds
};

// How a strategy did within a budget, over all seeds.
struct ReplayResult {
  StrategyKind strategy = StrategyKind::kGreedy;
  double budget_s = 0.0;
  // Of the best recorded: 100 times the geometric mean, over shapes and operand combinations, of
  // the least recorded time over that of the best found kernel, packing included. 0 where nothing
  // was found.
  Summary percent;
  double candidates = 0.0;  // median
  // Median share of all proposals that the journal does not know. They are passed over and cost
  // nothing; where they are many, the strategy was not replayed but herded.
  double unrecorded = 0.0;
};

struct ReplayPhase {
  std::string name;                   // "NN" ..., or "packed"
  double valid = 0.0;                 // points of the space; 0: not counted
  int recorded = 0;                   // outcomes on points of the space
  int measured = 0;                   // of them, those that have times
  double recorded_s = 0.0;            // that all of them took
  std::vector<ReplayResult> results;  // by strategy, then by budget
};

struct Replay {
  bool same_space = true;  // the spaces are those that the journal names
  std::vector<ReplayPhase> phases;
};

// The options of the tuning that wrote the journal, as far as a search depends on them. Its shards
// were joined: all points are this search's.
TuneOptions tuning_of(const JournalContents& contents);

Replay replay(const JournalContents& contents, const ReplayOptions& options);

}  // namespace tilewright
