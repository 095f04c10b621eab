// What do the rounds of the finals say, and who goes on?
//
// Pure: a line-up and its rounds in, times and finalists out. A block is what one worker process
// measures, since a kernel takes another time in another process: pages, addresses and threads lie
// otherwise there (Kalibera and Jones 2013, "Rigorous benchmarking in reasonable time"). A sample
// is divided by the slow-down of its round; of a block counts the median, and what a finalist takes
// is the mean over blocks, from five on without the least and the greatest. After each block the
// better half goes on (sequential halving: Karnin, Koren and Somekh 2013, "Almost optimal
// exploration in multi-armed bandits").
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/records/finals_record.hpp"
#include "tuner/records/statistics.hpp"
#include "tuner/search/beside.hpp"

namespace tilewright {

// What is known of a finalist on one shape.
struct Estimate {
  std::vector<double> samples_ns;  // divided by slow-downs
  // The geometric mean of its blocks' medians; and half of a 95 % interval of how far it is from
  // the best that survives, which is known exactly.
  Known time;
  std::size_t blocks = 0;
  bool survives = false;  // it was in the last block
};
// By finalist; who failed is in none. Slow-downs are told by those who survive, who are in all
// rounds: a median of whoever runs would fall as slow ones leave.
std::map<std::size_t, Estimate> estimates(const std::vector<Round>& rounds, const GemmShape& shape,
                                          const std::map<std::size_t, std::string>& failures = {});

// The rounds on a shape with slow-downs taken out, as estimates() sees them.
std::vector<Round> even_rounds(const std::vector<Round>& rounds, const GemmShape& shape);

// By how much longer all took in the middle round on a shape than usual: 0 on a calm machine, 0.1:
// a tenth longer. 0 where there are fewer than ten rounds.
double usual_slow_down(const std::vector<Round>& rounds, const GemmShape& shape);

// The next block on a shape.
struct NextBlock {
  // At first all that can serve the shape. Then, of each op, the better half of those who survive,
  // end to end, eight at least; and the baselines.
  std::vector<std::size_t> runs;
  // None is needed: nobody leaves any more, and who may be as good as the best of his op is known
  // as finely as ties are told apart.
  bool settled = false;
};
NextBlock next_block(const Lineup& lineup, const std::vector<Round>& rounds, const GemmShape& shape,
                     const Beside& beside, const std::map<std::size_t, std::string>& failures = {});

}  // namespace tilewright
