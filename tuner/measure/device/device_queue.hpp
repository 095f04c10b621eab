// Creates a context and an in-order queue for a command that runs on one device.
#pragma once

#include "runtime/opencl/clhpp.hpp"

#include <algorithm>

#include "runtime/device/allocate_buffer.hpp"
#include "tuner/measure/device/timed_queue.hpp"

namespace tilewright {

// A context and a queue of one device.
struct DeviceQueue {
  cl::Context context;
  cl::CommandQueue queue;

  // Throws Error if the driver cannot create a context or a queue.
  explicit DeviceQueue(const cl::Device& device)
      : context(create_context(device)), queue(plain_queue(context, device)) {}

  // Allocates a buffer for `count` floats, but at least one. Throws Error if it cannot be
  // allocated.
  cl::Buffer floats(std::size_t count) const {
    return allocate_buffer(context, CL_MEM_READ_WRITE,
                           sizeof(float) * std::max<std::size_t>(count, 1),
                           "a network's inputs or outputs");
  }
};

}  // namespace tilewright
