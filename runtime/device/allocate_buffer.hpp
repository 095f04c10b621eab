// Creates, writes and reads buffers of our own with as few copies as possible.
//
// On a board, the GPU uses the host's memory (CL_DEVICE_HOST_UNIFIED_MEMORY). There, buffers are
// created with CL_MEM_ALLOC_HOST_PTR and mapped, which copies nothing. ARM's OpenCL guides
// recommend this (100614_0300, 101574_0302: "Avoid copies": memory of CL_MEM_USE_HOST_PTR is
// copied, as are the data of clEnqueueReadBuffer and clEnqueueWriteBuffer). On a device with its
// own memory, host-accessible memory is slow for the device, so data are copied by commands.
//
// The library, the tuner and the benchmarks all create buffers in this way, so that measurements
// use the same kind of memory as applications' temporaries. Buffers of an application are created
// by the application.
#pragma once

#include "runtime/opencl/clhpp.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tilewright {

// True if the device uses the host's memory. False if the driver query fails.
bool shares_host_memory(const cl::Device& device);

// Creates a buffer of the given size with undefined content, or with the given content. `access` is
// CL_MEM_READ_WRITE or CL_MEM_READ_ONLY; `what` is the purpose, for the error message. Throws
// Error.
cl::Buffer allocate_buffer(const cl::Context& context, cl_mem_flags access, std::size_t bytes,
                           const char* what);
cl::Buffer allocate_buffer(const cl::Context& context, cl_mem_flags access,
                           std::span<const float> floats, const char* what);
cl::Buffer allocate_buffer(const cl::Context& context, cl_mem_flags access,
                           std::span<const std::byte> content, const char* what);

// Copy data to a buffer, starting at element `first` or byte `first_byte`, and from the start of a
// buffer. They wait for `wait_list`, then block until the copy is complete. They return OpenCL's
// code.
cl_int write_floats(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t first,
                    std::span<const float> floats);
cl_int write_bytes(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t first_byte,
                   std::span<const std::byte> content);
cl_int read_floats(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::span<float> floats,
                   const std::vector<cl::Event>& wait_list = {});
cl_int read_bytes(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                  std::span<std::byte> content, const std::vector<cl::Event>& wait_list = {});

}  // namespace tilewright
