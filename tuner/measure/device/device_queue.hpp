// Creates contexts and in-order queues, with or without profiling (event timestamps).
//
// Mesa's Rusticl has no timestamps on GPUs whose driver provides none (panfrost before Linux 6.13).
// There, creating a profiling queue fails with CL_INVALID_QUEUE_PROPERTIES (clpeak issue 142).
#pragma once

#include "runtime/opencl/clhpp.hpp"

#include <algorithm>

#include "runtime/device/allocate_buffer.hpp"

namespace tilewright {

// Throws Error on failure.
cl::Context create_context(const cl::Device& device);

// Creates an in-order queue without profiling. Throws Error on failure.
cl::CommandQueue plain_queue(const cl::Context& context, const cl::Device& device);

// Returns true if the driver claims to support profiling. The timestamps may be wrong all the same
// (see timestamps_make_sense() in device_rates.hpp).
bool has_timers(const cl::Device& device);

// Creates an in-order queue, with profiling if the device supports it. Throws Error on failure.
cl::CommandQueue timed_queue(const cl::Context& context, const cl::Device& device);

// Returns true if the queue has profiling enabled. Otherwise its events have no timestamps.
bool is_timed(const cl::CommandQueue& queue);

// A context and a queue without profiling, for a command that runs on one device.
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
