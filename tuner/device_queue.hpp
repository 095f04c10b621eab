// What does a command of the user's need of a device? A context of its own, and a queue.
#pragma once

#include "runtime/opencl_error.hpp"

#include <CL/opencl.hpp>

namespace tilewright {

struct DeviceQueue {
  cl::Context context;
  cl::CommandQueue queue;

  // Throws Error if there is no context or queue to be had.
  explicit DeviceQueue(const cl::Device& device) {
    cl_int code = CL_SUCCESS;
    context = cl::Context(device, nullptr, nullptr, nullptr, &code);
    check_opencl(code, "clCreateContext");
    queue = cl::CommandQueue(context, device, 0, &code);
    check_opencl(code, "clCreateCommandQueue");
  }

  // A buffer of so many floats, of one at least.
  cl::Buffer floats(std::size_t count) const {
    cl_int code = CL_SUCCESS;
    cl::Buffer buffer(context, CL_MEM_READ_WRITE, sizeof(float) * (count > 0 ? count : 1), nullptr,
                      &code);
    check_opencl(code, "clCreateBuffer");
    return buffer;
  }
};

}  // namespace tilewright
