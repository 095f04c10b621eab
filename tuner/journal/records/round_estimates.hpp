// Estimates the time of each finalist from the rounds of the finals.
//
// A block contains the rounds that one worker process measures. The same kernel takes a different
// time in another process, because pages, addresses and threads differ (Kalibera and Jones 2013,
// "Rigorous benchmarking in reasonable time"). Each sample is divided by the slow-down of its round
// relative to the median round. The median of these is the result of a block, and the time of a
// finalist is the mean over its blocks; from five blocks on, the smallest and the largest are left
// out. The uncertainty of its difference from the best is computed in the same way. These functions
// do not access a device.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tuner/journal/records/outcome.hpp"

namespace tilewright {

// Journal and worker process. Each journal numbers its own processes, so merged journals need both.
using BlockId = std::pair<int, int>;

// What is known about a finalist on one shape.
struct Estimate {
  std::vector<double> samples_ns;     // corrected for slow-downs
  double ns = 0.0;                    // geometric mean of the medians of the blocks
  std::map<BlockId, double> medians;  // by block: median of the logarithms of the samples
  bool survives = false;              // true if it took part in the last block
};
// Returns half the width of the 95 % interval of the difference between a finalist and the best
// one, whose own time counts as exact. It is computed from the differences in the blocks in which
// both took part; if there are fewer than two, from the median of the finalist's own samples.
double uncertainty_ns(const Estimate& own, const Estimate& best);

// Returns the estimates on a shape, without those of kernels in `failures`. `finals` are outcomes
// of task kFinals. Slow-downs are computed from the finalists that survive, because these took part
// in all rounds; a median over all participants would decrease as slow ones drop out.
std::map<KernelId, Estimate> estimates(const std::vector<Outcome>& finals, const GemmShape& shape,
                                       const std::map<KernelId, std::string>& failures = {});

// Returns the outcomes with samples on a shape, corrected for slow-downs as by estimates().
std::vector<Outcome> even_finals(const std::vector<Outcome>& finals, const GemmShape& shape,
                                 const std::map<KernelId, std::string>& failures = {});

// Returns how much slower than usual the machine was in the median round on a shape: 0 on a calm
// machine, 0.1 for 10 %. Returns 0 for fewer than ten rounds.
double usual_slow_down(const std::vector<Outcome>& finals, const GemmShape& shape);

}  // namespace tilewright
