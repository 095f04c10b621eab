// Chooses the finalists that the next block of the finals measures.
//
// Pure: a line-up and its rounds (round_estimates.hpp) in, finalists out. After each block the
// better half goes on (sequential halving: Karnin, Koren and Somekh 2013, "Almost optimal
// exploration in multi-armed bandits").
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/journal/records/round_estimates.hpp"
#include "tuner/search/auxiliary_cost.hpp"

namespace tilewright {

// The next block on a shape.
struct NextBlock {
  // At first all that can serve the shape. Then, of each op, the better half of those that survive,
  // end to end, eight at least; and the baselines.
  std::vector<std::size_t> runs;
  // None is needed: none leaves any more, and what may be as good as the best of its op is known
  // as finely as ties are told apart.
  bool settled = false;
};
NextBlock next_block(const Lineup& lineup, const std::vector<Round>& rounds, const GemmShape& shape,
                     const AuxiliaryCost& auxiliary,
                     const std::map<std::size_t, std::string>& failures = {});

}  // namespace tilewright
