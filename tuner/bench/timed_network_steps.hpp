// Measures the device time of each step of a forward pass.
#pragma once

#include <vector>

#include "tuner/bench/bench_report.hpp"
#include "tuner/bench/competitors/competitors.hpp"

namespace tilewright {

// Runs forward passes on a queue with timestamps. Timestamps may slow them down, so they are
// separate from the forward passes whose wall time is reported.
class TimedNetworkSteps {
 public:
  // Throws Error if the queue cannot be created.
  TimedNetworkSteps(Mlp net, const NetworkArena& arena);

  // Runs one forward pass that is not part of a sample. Throws Error.
  void warm_up();
  // Runs that many forward passes, whose steps form one sample, and returns their wall time in
  // seconds. The first call is an estimate, and no sample. A call with more passes than the one
  // before replaces it, which was too short (time_in_turns()). Throws Error.
  double time_runs(int forwards);

  // Returns each step with the device time of its commands, without the gaps between them. If the
  // driver's timestamps are unusable, a step has no samples.
  std::vector<BenchFigure> figures() const;

 private:
  void add_forward(std::vector<double>& step_ns);

  Mlp net_;
  NetworkArena arena_;
  cl::CommandQueue queue_;
  std::vector<std::vector<double>> samples_;  // [sample][step]; NaN: unusable timestamps
  int num_calls_ = 0;                         // of time_runs()
  int last_forwards_ = 0;                     // argument of the last one
  std::size_t steps_;
};

}  // namespace tilewright
