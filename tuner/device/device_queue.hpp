// What does a command of the user's need of a device? A context of its own, and a queue.
#pragma once

#include <CL/opencl.hpp>

#include <algorithm>

#include "runtime/device/own_buffer.hpp"
#include "tuner/device/timed_queue.hpp"

namespace tilewright {

struct DeviceQueue {
  cl::Context context;
  cl::CommandQueue queue;

  // Throws Error if there is no context or queue to be had.
  explicit DeviceQueue(const cl::Device& device)
      : context(create_context(device)), queue(plain_queue(context, device)) {}

  // A buffer of so many floats, of one at least (own_buffer.hpp).
  cl::Buffer floats(std::size_t count) const {
    return own_buffer(context, CL_MEM_READ_WRITE, sizeof(float) * std::max<std::size_t>(count, 1),
                      "a net's inputs or outputs");
  }
};

}  // namespace tilewright
