// Measures how long each step of a forward takes on the device.
#pragma once

#include <vector>

#include "tuner/bench/bench_report.hpp"
#include "tuner/bench/competitors/competitors.hpp"

namespace tilewright {

// Forwards on a queue with timestamps, which may cost time: not those whose wall time is reported.
class TimedNetSteps {
 public:
  // Throws Error if there is no queue to be had.
  TimedNetSteps(Mlp net, const NetArena& arena);

  // Runs one forward that is not part of a sample. Throws Error.
  void warm_up();
  // Wall time in seconds of so many forwards, whose steps make a sample. Throws Error.
  double time_runs(int forwards);

  // Each step with the device time of its commands, without the gaps between them. A step has no
  // samples where the driver's timestamps make no sense.
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
