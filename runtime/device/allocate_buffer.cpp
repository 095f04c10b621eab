#include "runtime/device/allocate_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runtime/call/opencl_error.hpp"

namespace tilewright {
namespace {

// A context with several devices shares the host's memory only if all devices do.
bool all_share_host_memory(const cl::Context& context) {
  cl_int code = CL_SUCCESS;
  const std::vector<cl::Device> devices = context.getInfo<CL_CONTEXT_DEVICES>(&code);
  return code == CL_SUCCESS && !devices.empty() &&
         std::all_of(devices.begin(), devices.end(),
                     [](const cl::Device& device) { return shares_host_memory(device); });
}

cl::Buffer made(const cl::Context& context, cl_mem_flags flags, std::size_t bytes, void* content,
                const char* what) {
  if (all_share_host_memory(context)) flags |= CL_MEM_ALLOC_HOST_PTR;
  cl_int code = CL_SUCCESS;
  cl::Buffer buffer(context, flags, bytes, content, &code);
  if (code != CL_SUCCESS) check_opencl(code, fmt::format("clCreateBuffer ({})", what).c_str());
  return buffer;
}

bool maps(const cl::CommandQueue& queue) {
  cl_int code = CL_SUCCESS;
  const cl::Device device = queue.getInfo<CL_QUEUE_DEVICE>(&code);
  return code == CL_SUCCESS && shares_host_memory(device);
}

// Calls `use` with the mapped bytes. The buffer is unmapped when this returns, even on an
// out-of-order queue.
template <class Use>
cl_int with_mapped(const cl::CommandQueue& queue, const cl::Buffer& buffer, cl_map_flags flags,
                   std::size_t first_byte, std::size_t bytes,
                   const std::vector<cl::Event>& wait_list, const Use& use) {
  if (bytes == 0) return CL_SUCCESS;
  cl_int code = CL_SUCCESS;
  void* mapped = queue.enqueueMapBuffer(buffer, CL_TRUE, flags, first_byte, bytes,
                                        wait_list.empty() ? nullptr : &wait_list, nullptr, &code);
  if (code != CL_SUCCESS) return code;
  use(mapped);
  cl::Event unmapped;
  code = queue.enqueueUnmapMemObject(buffer, mapped, nullptr, &unmapped);
  return code == CL_SUCCESS ? unmapped.wait() : code;
}

}  // namespace

bool shares_host_memory(const cl::Device& device) {
  cl_int code = CL_SUCCESS;
  const cl_bool shares = device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>(&code);
  return code == CL_SUCCESS && shares != CL_FALSE;
}

cl::Buffer allocate_buffer(const cl::Context& context, cl_mem_flags access, std::size_t bytes,
                           const char* what) {
  return made(context, access, bytes, nullptr, what);
}

cl::Buffer allocate_buffer(const cl::Context& context, cl_mem_flags access,
                           std::span<const float> floats, const char* what) {
  return allocate_buffer(context, access, std::as_bytes(floats), what);
}

cl::Buffer allocate_buffer(const cl::Context& context, cl_mem_flags access,
                           std::span<const std::byte> content, const char* what) {
  return made(context, access | CL_MEM_COPY_HOST_PTR, content.size(),
              const_cast<std::byte*>(content.data()), what);
}

cl_int write_floats(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t first,
                    std::span<const float> floats) {
  return write_bytes(queue, buffer, first * sizeof(float), std::as_bytes(floats));
}

cl_int write_bytes(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t first_byte,
                   std::span<const std::byte> content) {
  if (!maps(queue)) {
    return queue.enqueueWriteBuffer(buffer, CL_TRUE, first_byte, content.size(), content.data());
  }
  // CL_MAP_WRITE, because CL_MAP_WRITE_INVALIDATE_REGION requires OpenCL 1.2.
  return with_mapped(queue, buffer, CL_MAP_WRITE, first_byte, content.size(), {},
                     [&](void* mapped) { std::memcpy(mapped, content.data(), content.size()); });
}

cl_int read_floats(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::span<float> floats,
                   const std::vector<cl::Event>& wait_list) {
  return read_bytes(queue, buffer, std::as_writable_bytes(floats), wait_list);
}

cl_int read_bytes(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                  std::span<std::byte> content, const std::vector<cl::Event>& wait_list) {
  if (!maps(queue)) {
    return queue.enqueueReadBuffer(buffer, CL_TRUE, 0, content.size(), content.data(),
                                   wait_list.empty() ? nullptr : &wait_list);
  }
  return with_mapped(
      queue, buffer, CL_MAP_READ, 0, content.size(), wait_list,
      [&](const void* mapped) { std::memcpy(content.data(), mapped, content.size()); });
}

}  // namespace tilewright
