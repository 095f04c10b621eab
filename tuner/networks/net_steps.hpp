// How long does each step of a forward take on the device?
#pragma once

#include <optional>
#include <vector>

#include "tuner/networks/net_competitors.hpp"
#include "tuner/records/statistics.hpp"

namespace tilewright {

// Forwards on a queue with timestamps, which may cost time: not those whose wall time is reported.
class NetSteps {
 public:
  // Throws Error if there is no queue to be had.
  NetSteps(Mlp net, const NetArena& arena);

  // Wall time in seconds of so many forwards, whose steps make a sample. Throws Error.
  double seconds_of(int forwards);

  // Device time of each step in ns: what its commands took, without the gaps between them. Of the
  // first sample, the warm-up, nothing counts. nullopt where the driver's timestamps make no sense,
  // or there are no others.
  std::vector<std::optional<Summary>> device_ns() const;

 private:
  void add_forward(std::vector<double>& step_ns);

  Mlp net_;
  NetArena arena_;
  cl::CommandQueue queue_;
  std::vector<std::vector<double>> samples_;  // of each forward's steps; NaN: no sense
  std::size_t steps_;
};

}  // namespace tilewright
