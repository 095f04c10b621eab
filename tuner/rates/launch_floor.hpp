// How fast can a call be that has nothing to do?
//
// The wall time of an empty kernel, from its enqueueing to the end of the wait for it, on the queue
// that the calls use. Where a product's time is mostly that, a better kernel does not help.
#pragma once

#include <CL/opencl.hpp>

namespace tilewright {

class LaunchFloor {
 public:
  // Throws Error if the device does not build the empty kernel.
  LaunchFloor(const cl::Context& context, const cl::CommandQueue& queue);

  // Wall time in seconds of so many launches, each waited for. Throws Error.
  double seconds_of(int launches);

 private:
  cl::CommandQueue queue_;
  cl::Kernel kernel_;
};

}  // namespace tilewright
