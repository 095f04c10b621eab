// Chooses the finalists that the next block of the finals measures.
//
// The input are finalists and their outcomes (round_estimates.hpp), the output the finalists. After
// each block the better half continues (sequential halving: Karnin, Koren and Somekh 2013, "Almost
// optimal exploration in multi-armed bandits"). These functions do not access a device.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/journal/records/round_estimates.hpp"
#include "tuner/search/auxiliary_cost.hpp"

namespace tilewright {

// What to measure next on a shape.
struct NextBlock {
  // At first all finalists that support the shape. Later, for each op, the better half of the
  // survivors by total time, but at least eight, and the baselines.
  std::vector<KernelId> runs;
  // True if no further block is needed: no finalist would drop out, and the times of all that may
  // be as good as the best for their op are known to within the tolerance of ties.
  bool settled = false;
};
// Determines the next block on a shape from the finalists' outcomes so far. `failures` are the
// finalists that have failed.
NextBlock next_block(const Finalists& finalists, const std::vector<Op>& ops, const GemmShape& shape,
                     const AuxiliaryCost& auxiliary, const FinalFailures& failures = {});

}  // namespace tilewright
