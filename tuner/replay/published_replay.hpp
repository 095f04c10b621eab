// How well do search strategies do on spaces that others published, by the method others use?
//
// The method of Willemsen et al. 2024, "A methodology for comparing optimization algorithms for
// auto-tuning" (doi 10.1016/j.future.2024.05.021): performance over time against random search.
// A run's best so far counts by its rank among all points that work; until one is found it is the
// median. The curve of a strategy is the time of the mean rank over its runs. Its score is the mean
// over a time range of (random - strategy) / (random - optimum): 0 is random search, 1 has the
// optimum at once. The range begins where random search has gone 1 % of the way from the median to
// the optimum, and the budget ends it where it has gone 95 %. Random search is simulated here,
// since on average it is not as fast as its mean cost a point says: slow kernels take long to try.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tuner/search/published_space.hpp"
#include "tuner/search/search.hpp"

namespace tilewright {

// Numbers of points in the order in which a run tried them.
using Trace = std::vector<std::size_t>;

// All runs of one strategy, ours or another tuner's.
struct StrategyTraces {
  std::string strategy;
  std::vector<Trace> runs;
};
// JSON lines of other tuners' runs: {"optimiser": "pso", "points": [7, 0, ...]}. Numbers are those
// of PublishedSpace::number_of(). Blank lines are passed over. Throws JsonError, which names the
// line.
std::vector<StrategyTraces> read_traces(const std::string& text, const PublishedSpace& space);

class PublishedBenchmark {
 public:
  // The space must outlive it. Throws JsonError where no score can be had: fewer than two points
  // work, none took time to try, or random search has the optimum before the budget is spent.
  explicit PublishedBenchmark(const PublishedSpace& space);

  double budget_s() const { return moments_.back(); }
  std::size_t working() const { return times_.size(); }
  // A run of ours, until the budget is spent.
  Trace run(StrategyKind kind, std::uint64_t seed) const;
  double score(const std::vector<Trace>& runs) const;
  // What 80 % of scores would be between, had other runs of the same strategy been drawn.
  std::pair<double, double> score_interval(const std::vector<Trace>& runs) const;

 private:
  // The mean rank from this moment on.
  struct Step {
    double at_s;
    double rank;
  };
  void rank(const Trace& numbers);
  void simulate_random_search(Trace order);
  std::vector<Step> curve(const std::vector<Trace>& runs) const;
  double time_at(double rank) const;
  double when_below(const std::vector<Step>& curve, double share) const;
  std::vector<double> times_over(const std::vector<Step>& curve) const;
  double unfound() const { return (static_cast<double>(times_.size()) + 1.0) / 2.0; }

  const PublishedSpace& space_;
  std::vector<double> times_;    // of points that work, in order
  std::vector<double> ranks_;    // of all points, from 1; 0: it failed or stood there before
  std::vector<double> moments_;  // equally spaced, that a score is the mean over
  std::vector<double> random_;   // time that random search has at these
};

}  // namespace tilewright
