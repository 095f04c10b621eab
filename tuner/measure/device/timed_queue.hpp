// Creates contexts and in-order queues, with or without profiling (event timestamps).
//
// Mesa's Rusticl has no timestamps on GPUs whose driver provides none (panfrost before Linux 6.13).
// There, creating a profiling queue fails with CL_INVALID_QUEUE_PROPERTIES (clpeak issue 142).
#pragma once

#include "runtime/opencl/clhpp.hpp"

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

}  // namespace tilewright
