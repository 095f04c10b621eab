// Opens a device: a context, and in-order queues with or without timestamps.
//
// Mesa's Rusticl has no timestamps on GPUs whose driver gives none (panfrost before Linux 6.13):
// there a queue that profiles is refused with CL_INVALID_QUEUE_PROPERTIES (clpeak issue 142).
#pragma once

#include <CL/opencl.hpp>

namespace tilewright {

// Throws Error.
cl::Context create_context(const cl::Device& device);

// An in-order queue that does not profile. Throws Error.
cl::CommandQueue plain_queue(const cl::Context& context, const cl::Device& device);

// Does the driver say that it times commands? What it answers may be nonsense all the same.
bool has_timers(const cl::Device& device);

// An in-order queue that profiles where the device does. Throws Error.
cl::CommandQueue timed_queue(const cl::Context& context, const cl::Device& device);

// Does the queue profile? Else events have no times.
bool is_timed(const cl::CommandQueue& queue);

}  // namespace tilewright
