// Estimates the time of each finalist from the rounds of the finals.
//
// Pure. A block is what one worker process measures, because a kernel takes another time in another
// process: pages, addresses and threads lie differently there (Kalibera and Jones 2013, "Rigorous
// benchmarking in reasonable time"). A sample is divided by how much slower its round was than the
// middle one. A block counts by its median, and a finalist by the mean over its blocks; from five
// blocks on without the least and the greatest. The uncertainty of the difference to the best
// finalist is found in the same way.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tuner/journal/records/finals_record.hpp"

namespace tilewright {

// Of merged journals, whose blocks have numbers of their own, the journal comes first.
using BlockId = std::pair<int, int>;

// What is known of a finalist on one shape.
struct Estimate {
  std::vector<double> samples_ns;     // with slow-downs taken out
  double ns = 0.0;                    // the geometric mean of its blocks' medians
  std::map<BlockId, double> medians;  // of the logarithms of each block
  bool survives = false;              // it was in the last block
};
// Half of a 95 % interval of how far one is from another, which is known exactly: by the difference
// in each block that both were in; where those are fewer than two, of its own samples' median.
double uncertainty_ns(const Estimate& own, const Estimate& best);

// By finalist; one that failed is in none. Slow-downs are told by those that survive, which are in
// all rounds: a median of whoever runs would fall as slow ones leave.
std::map<std::size_t, Estimate> estimates(const std::vector<Round>& rounds, const GemmShape& shape,
                                          const std::map<std::size_t, std::string>& failures = {});

// The rounds on a shape with slow-downs taken out, as estimates() sees them.
std::vector<Round> even_rounds(const std::vector<Round>& rounds, const GemmShape& shape,
                               const std::map<std::size_t, std::string>& failures = {});

// By how much longer all took in the middle round on a shape than usual: 0 on a calm machine, 0.1:
// a tenth longer. 0 where there are fewer than ten rounds.
double usual_slow_down(const std::vector<Round>& rounds, const GemmShape& shape);

}  // namespace tilewright
