// Measures how long each step of a forward takes on the device.
#pragma once

#include <vector>

#include "tuner/bench/bench_report.hpp"
#include "tuner/bench/competitors.hpp"

namespace tilewright {

// Forwards on a queue with timestamps, which may cost time: not those whose wall time is reported.
class NetSteps {
 public:
  // Throws Error if there is no queue to be had.
  NetSteps(Mlp net, const NetArena& arena);

  // Wall time in seconds of so many forwards, whose steps make a sample. Throws Error.
  double time_runs(int forwards);

  // Each step with the device time of its commands, without the gaps between them. The first
  // sample, a warm-up, does not count. A step has no samples where the driver's timestamps make no
  // sense, or there are no others.
  std::vector<BenchFigure> figures() const;

 private:
  void add_forward(std::vector<double>& step_ns);

  Mlp net_;
  NetArena arena_;
  cl::CommandQueue queue_;
  std::vector<std::vector<double>> samples_;  // of each forward's steps; NaN: no sense
  std::size_t steps_;
};

}  // namespace tilewright
