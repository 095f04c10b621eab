// The linker prefers the OpenCL functions that are defined here to those of the loader, which they
// call.
#include "counted_calls.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

namespace {

thread_local tilewright::CountedCalls counts;
thread_local bool counting = false;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
std::atomic<std::int64_t> memory_limit = kNoLimit;
std::atomic<std::int64_t> largest_buffer = kNoLimit;
std::atomic<std::int64_t> live_bytes = 0;  // bytes of buffers that were created under a limit
std::atomic<std::size_t> refusals = 0;
std::atomic<bool> refuses_launches = false;
std::atomic<cl_uint> native_floats = 0;  // 0: as reported by the driver

bool is_refused(std::int64_t bytes) {
  if (bytes > largest_buffer) return true;
  const bool refused =
      memory_limit != kNoLimit && !refuses_launches && live_bytes + bytes > memory_limit;
  if (refused) ++refusals;
  return refused;
}

void count_bytes(cl_mem buffer, std::int64_t bytes) {
  if (memory_limit == kNoLimit || buffer == nullptr) return;
  live_bytes += bytes;
  clSetMemObjectDestructorCallback(
      buffer, [](cl_mem, void* user) { live_bytes -= reinterpret_cast<std::intptr_t>(user); },
      reinterpret_cast<void*>(static_cast<std::intptr_t>(bytes)));
}

void* counted(std::size_t bytes) {
  if (counting) ++counts.allocations;
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// Returns the loader's function of that name; increments `count` if this thread counts.
template <class Function>
Function* passed_on(const char* name, std::size_t& count, Function*) {
  if (counting) ++count;
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) throw std::runtime_error(std::string(name) + " is not in the loader");
  return reinterpret_cast<Function*>(found);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(bytes);
}
void* operator new[](std::size_t bytes) {
  return counted(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return counted(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tilewright {

void start_counting() {
  counts = {};
  counting = true;
}

CountedCalls stop_counting() {
  counting = false;
  return counts;
}

LimitedMemory::LimitedMemory(std::size_t bytes, Refuses refuses) {
  refusals = 0;
  refuses_launches = refuses == Refuses::kLaunch;
  memory_limit = live_bytes + static_cast<std::int64_t>(bytes);
}

LimitedMemory::~LimitedMemory() {
  memory_limit = kNoLimit;
  refuses_launches = false;
}

std::size_t LimitedMemory::refused() const {
  return refusals;
}

LimitedBuffers::LimitedBuffers(std::size_t bytes) {
  largest_buffer = static_cast<std::int64_t>(bytes);
}

LimitedBuffers::~LimitedBuffers() {
  largest_buffer = kNoLimit;
}

NativeVectors::NativeVectors(unsigned floats) {
  native_floats = floats;
}

NativeVectors::~NativeVectors() {
  native_floats = 0;
}

}  // namespace tilewright

#define PASS_ON(function, count, ...) \
  return passed_on(#function, counts.count, &function)(__VA_ARGS__)

extern "C" {

cl_int CL_API_CALL clFinish(cl_command_queue queue) {
  PASS_ON(clFinish, waits, queue);
}

cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event* events) {
  PASS_ON(clWaitForEvents, waits, count, events);
}

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                       size_t offset, size_t bytes, void* to, cl_uint count,
                                       const cl_event* events, cl_event* event) {
  PASS_ON(clEnqueueReadBuffer, waits, queue, buffer, blocking, offset, bytes, to, count, events,
          event);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                        size_t offset, size_t bytes, const void* from,
                                        cl_uint count, const cl_event* events, cl_event* event) {
  PASS_ON(clEnqueueWriteBuffer, waits, queue, buffer, blocking, offset, bytes, from, count, events,
          event);
}

void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                     cl_map_flags flags, size_t offset, size_t bytes, cl_uint count,
                                     const cl_event* events, cl_event* event, cl_int* code) {
  PASS_ON(clEnqueueMapBuffer, waits, queue, buffer, blocking, flags, offset, bytes, count, events,
          event, code);
}

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host,
                                  cl_int* code) {
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (is_refused(wanted)) {
    if (code != nullptr) {
      *code = wanted > largest_buffer ? CL_INVALID_BUFFER_SIZE : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    }
    return nullptr;
  }
  if (counting && (flags & CL_MEM_USE_HOST_PTR) != 0) ++counts.in_place;
  const auto make = [&] { PASS_ON(clCreateBuffer, made, context, flags, bytes, host, code); };
  const cl_mem buffer = make();
  count_bytes(buffer, wanted);
  return buffer;
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                          cl_uint dimensions, const size_t* offsets,
                                          const size_t* items, const size_t* group, cl_uint count,
                                          const cl_event* events, cl_event* event) {
  if (refuses_launches && live_bytes > memory_limit) {
    ++refusals;
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  }
  std::size_t uncounted = 0;
  return passed_on("clEnqueueNDRangeKernel", uncounted, &clEnqueueNDRangeKernel)(
      queue, kernel, dimensions, offsets, items, group, count, events, event);
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void* to,
                                   size_t* bytes_ret) {
  std::size_t uncounted = 0;
  const cl_int code =
      passed_on("clGetDeviceInfo", uncounted, &clGetDeviceInfo)(device, what, bytes, to, bytes_ret);
  if (code == CL_SUCCESS && what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && to != nullptr) {
    auto& largest = *static_cast<cl_ulong*>(to);
    largest = std::min(largest, static_cast<cl_ulong>(largest_buffer));
  }
  if (code == CL_SUCCESS && what == CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT && to != nullptr &&
      native_floats != 0) {
    *static_cast<cl_uint*>(to) = native_floats;
  }
  return code;
}

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags,
                                 const cl_image_format* format, const cl_image_desc* image,
                                 void* host, cl_int* code) {
  PASS_ON(clCreateImage, made, context, flags, format, image, host, code);
}

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count,
                                                 const char** strings, const size_t* lengths,
                                                 cl_int* code) {
  PASS_ON(clCreateProgramWithSource, made, context, count, strings, lengths, code);
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices,
                                  const char* options, void(CL_CALLBACK* notify)(cl_program, void*),
                                  void* user) {
  PASS_ON(clBuildProgram, built, program, count, devices, options, notify, user);
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties,
                                                  cl_int* code) {
  PASS_ON(clCreateCommandQueue, queues, context, device, properties, code);
}

cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char* name, cl_int* code) {
  PASS_ON(clCreateKernel, made, program, name, code);
}

#undef PASS_ON

}  // extern "C"
