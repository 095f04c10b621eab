// How is a buffer of our own made, filled and read, so that nothing is copied that need not be?
//
// On a board the GPU computes in the host's memory (CL_DEVICE_HOST_UNIFIED_MEMORY). There a buffer
// is made with CL_MEM_ALLOC_HOST_PTR and mapped, which moves nothing: that is what ARM's OpenCL
// guides ask for (100614_0300, 101574_0302: "Avoid copies": memory of CL_MEM_USE_HOST_PTR is
// copied, and so is what clEnqueueReadBuffer and clEnqueueWriteBuffer move). On a device with
// memory of its own, memory that the host can reach is far away from the device, and commands copy.
//
// One rule for all that the library, the tuner and the benchmarks make, so that what is measured
// lies as what is served. Buffers of an application are its own business.
#pragma once

#include <CL/opencl.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace tilewright {

// Does the device compute in the host's memory? No, if the driver does not say.
bool shares_host_memory(const cl::Device& device);

// A buffer of so many bytes with any content, or with these floats. `access`: CL_MEM_READ_WRITE or
// CL_MEM_READ_ONLY; `what` it is for, in the error's text. Throws Error.
cl::Buffer own_buffer(const cl::Context& context, cl_mem_flags access, std::size_t bytes,
                      const char* what);
cl::Buffer own_buffer(const cl::Context& context, cl_mem_flags access,
                      std::span<const float> floats, const char* what);
cl::Buffer own_buffer(const cl::Context& context, cl_mem_flags access,
                      std::span<const std::byte> content, const char* what);

// Brings floats into a buffer, from its element `first` on, and back from its begin; waits for
// `wait_list` and until it is done. Answers OpenCL's code.
cl_int write_floats(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t first,
                    std::span<const float> floats);
cl_int write_bytes(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t first_byte,
                   std::span<const std::byte> content);
cl_int read_floats(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::span<float> floats,
                   const std::vector<cl::Event>& wait_list = {});
cl_int read_bytes(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                  std::span<std::byte> content, const std::vector<cl::Event>& wait_list = {});

}  // namespace tilewright
