// The linker takes the functions of OpenCL that stand here before those of the loader, which they
// call in turn.
#include "counted_calls.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

namespace {

thread_local tilewright::CountedCalls counts;
thread_local bool counting = false;

void* counted(std::size_t bytes) {
  if (counting) ++counts.allocations;
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// The loader's function of that name; `count` grows, if this thread counts.
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
  PASS_ON(clCreateBuffer, made, context, flags, bytes, host, code);
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

cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char* name, cl_int* code) {
  PASS_ON(clCreateKernel, made, program, name, code);
}

}  // extern "C"
