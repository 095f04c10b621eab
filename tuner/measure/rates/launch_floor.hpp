// Measures the launch floor: the shortest time that any call can take on a queue.
//
// It is the wall time of an empty kernel, from enqueueing to the end of the wait for it. If it
// accounts for most of a product's time, a better kernel does not help.
#pragma once

#include "runtime/opencl/clhpp.hpp"

namespace tilewright {

// Launches an empty kernel on a queue.
class LaunchFloor {
 public:
  // Throws Error if the empty kernel does not build.
  LaunchFloor(const cl::Context& context, const cl::CommandQueue& queue);

  // Launches the empty kernel `launches` times, waiting for each, and returns the total wall time
  // in seconds. Throws Error if a launch fails.
  double time_runs(int launches);

 private:
  cl::CommandQueue queue_;
  cl::Kernel kernel_;
};

}  // namespace tilewright
