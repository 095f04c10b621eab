#include "tuner/measure/device/device_queue.hpp"

#include "runtime/call/opencl_error.hpp"

namespace tilewright {

cl::Context create_context(const cl::Device& device) {
  cl_int code = CL_SUCCESS;
  cl::Context context(device, nullptr, nullptr, nullptr, &code);
  check_opencl(code, "clCreateContext");
  return context;
}

cl::CommandQueue plain_queue(const cl::Context& context, const cl::Device& device) {
  cl_int code = CL_SUCCESS;
  cl::CommandQueue queue(context, device, 0, &code);
  check_opencl(code, "clCreateCommandQueue");
  return queue;
}

bool has_timers(const cl::Device& device) {
  return (device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & CL_QUEUE_PROFILING_ENABLE) != 0;
}

cl::CommandQueue timed_queue(const cl::Context& context, const cl::Device& device) {
  if (has_timers(device)) {
    cl_int code = CL_SUCCESS;
    cl::CommandQueue queue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_INVALID_QUEUE_PROPERTIES) {
      check_opencl(code, "clCreateCommandQueue");
      return queue;
    }
  }
  return plain_queue(context, device);
}

bool is_timed(const cl::CommandQueue& queue) {
  return (queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_PROFILING_ENABLE) != 0;
}

}  // namespace tilewright
