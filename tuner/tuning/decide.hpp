// Decides which kernels take part in the finals, and which searches continue after them.
//
// These are pure functions of what the journal contains. They use no device, clock or file.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/journal/journal.hpp"
#include "tuner/select/finalists.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/search_tasks.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {

// The kernels that may take part in finals.
struct FinalCandidates {
  std::map<Op, OpFinalists> by_op;  // best first
  std::size_t min_finalists = 3;    // per op, however little time there is
};

// Returns true if there are no finalists, or if candidates were tried after these were chosen.
bool needs_finalists(const JournalContents& contents);

// Throws NoUsableKernel.
FinalCandidates final_candidates(const JournalContents& contents, const TuneOptions& options);

// Returns the auxiliary kernels that the finals require: pack kernels for every layout that a
// finalist requires and for TT; for large operands, also for the packings of the profile that is
// extended; and a reduction kernel if a finalist splits k.
std::set<ParameterPoint> required_auxiliaries(const FinalCandidates& candidates,
                                              const JournalContents& contents,
                                              const TuneOptions& options);

// Returns as many of the best candidates for each op as can be measured for some rounds in `left_s`
// seconds, and all baselines. Returns nullopt if there is no time for a single round and the
// journal has results of earlier finals, which are better than an incomplete round.
std::optional<Finalists> decide_finalists(const FinalCandidates& candidates,
                                          const JournalContents& contents,
                                          const TuneOptions& options, double left_s);

// Expected times of launches: the latest time of a finalist on the shape, or else a time computed
// from its rate on the nearest shape of the search.
class ExpectedTimes {
 public:
  explicit ExpectedTimes(const JournalContents& contents);

  // Learns from outcomes of the finals.
  void learn(const Outcomes& finals);
  // Returns the time of each kernel in ns; 0 if it is not known.
  std::vector<double> predict_ns(const std::vector<KernelId>& kernels,
                                 const GemmShape& shape) const;

 private:
  std::map<KernelId, std::vector<ShapeSamples>> searched_;
  std::map<std::pair<KernelId, std::string>, double> latest_ns_;
};

// Returns the predicted duration in seconds of a round in which kernels take so long. In the first
// round of a block, they are loaded and warmed up.
double predicted_round_s(const std::vector<double>& expected_ns, bool is_first,
                         const MeasureOptions& options);

// Returns how far the fastest plan on a problem is from what the device can do, as a difference of
// natural logarithms of times, at least 0. This is the mean of the distances to the roofline and to
// the roofline with the largest measured rate, `max_gflops`, instead of the peak. The launch counts
// as unavoidable.
double distance_to_limits(const GemmShape& shape, double ns, double max_gflops,
                          const DeviceRates& rates, Precision precision);

// Returns the weight of each task for the search time that is left after finals: its weight times
// the mean distance of its problems, in which shapes that the user asked for count more. A task
// near the limits keeps a small weight. Without finals these are the weights of the tasks.
std::vector<double> weights_by_gain(const std::vector<SearchTask>& tasks,
                                    const JournalContents& contents);

}  // namespace tilewright
