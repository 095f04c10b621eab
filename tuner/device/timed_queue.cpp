#include "tuner/device/timed_queue.hpp"

#include "runtime/call/opencl_error.hpp"

namespace tilewright {

bool has_timers(const cl::Device& device) {
  return (device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & CL_QUEUE_PROFILING_ENABLE) != 0;
}

cl::CommandQueue timed_queue(const cl::Context& context, const cl::Device& device) {
  cl_int code = CL_SUCCESS;
  if (has_timers(device)) {
    cl::CommandQueue queue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_INVALID_QUEUE_PROPERTIES) {
      check_opencl(code, "clCreateCommandQueue");
      return queue;
    }
  }
  cl::CommandQueue queue(context, device, 0, &code);
  check_opencl(code, "clCreateCommandQueue");
  return queue;
}

bool is_timed(const cl::CommandQueue& queue) {
  return (queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_PROFILING_ENABLE) != 0;
}

}  // namespace tilewright
