// A layer that simulates a driver that supports only OpenCL 1.1.
//
// An OpenCL layer is a library that the loader inserts between a program and the driver if the
// environment variable OPENCL_LAYERS names it. Platforms and devices report OpenCL 1.1. Every call,
// query, flag and build option that is newer fails, and kernels are compiled as OpenCL C 1.1. Each
// failure is written as a line to the file $TILEWRIGHT_CALLS ("newer clEnqueueFillBuffer").
// Commands that copy between host and device are written, too ("copy clEnqueueReadBuffer"), and
// executed. The loader's interface requires global state.
//
// With TILEWRIGHT_GROUPS="ITEMS X Y Z KERNEL" in the environment, a work-group may have at most
// ITEMS work-items, X, Y and Z along the dimensions, and KERNEL for each kernel. Launches above
// these limits, and launches that leave the local size to the driver, are rejected.
#include "layer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace {

void write_down(const char* kind, const char* what) {
  const char* path = std::getenv("TILEWRIGHT_CALLS");
  if (path == nullptr || *path == '\0') return;
  // A single write per line, so that lines of several processes do not mix.
  const std::string line = std::string(kind) + " " + what + "\n";
  if (std::FILE* file = std::fopen(path, "a")) {
    std::fwrite(line.data(), 1, line.size(), file);
    std::fclose(file);
  }
}

// The value of $TILEWRIGHT_GROUPS. `set` is false if it is not set.
struct GroupLimits {
  bool set = false;
  size_t items = 0;
  size_t sizes[3] = {};
  size_t of_kernel = 0;
};
GroupLimits group_limits() {
  GroupLimits limits;
  const char* text = std::getenv("TILEWRIGHT_GROUPS");
  limits.set =
      text != nullptr && std::sscanf(text, "%zu %zu %zu %zu %zu", &limits.items, &limits.sizes[0],
                                     &limits.sizes[1], &limits.sizes[2], &limits.of_kernel) == 5;
  return limits;
}

cl_int refused(const char* what) {
  write_down("newer", what);
  return CL_INVALID_VALUE;
}

// Functions that are newer than OpenCL 1.1

template <size_t kSize>
struct Text {
  char chars[kSize]{};
  // NOLINTNEXTLINE(google-explicit-constructor): allows conversion from a literal
  constexpr Text(const char (&text)[kSize]) { std::copy_n(text, kSize, chars); }
};

template <class Argument>
void answer(Argument) {}
void answer(cl_int* code) {
  if (code != nullptr) *code = CL_INVALID_OPERATION;
}

template <class Call>
struct Refused;
template <class Answer, class... Arguments>
struct Refused<Answer(CL_API_CALL*)(Arguments...)> {
  template <Text kName>
  static Answer CL_API_CALL call(Arguments... arguments) {
    write_down("newer", kName.chars);
    (answer(arguments), ...);
    if constexpr (std::is_pointer_v<Answer>) {
      return nullptr;
    } else if constexpr (!std::is_void_v<Answer>) {
      return static_cast<Answer>(CL_INVALID_OPERATION);
    }
  }
};

#define REFUSE(name) layer.name = Refused<decltype(layer.name)>::call<#name>

void refuse_newer_calls(cl_icd_dispatch& layer) {
  // OpenCL 1.2
  REFUSE(clCreateSubDevices);
  REFUSE(clRetainDevice);
  REFUSE(clReleaseDevice);
  REFUSE(clCreateImage);
  REFUSE(clCreateProgramWithBuiltInKernels);
  REFUSE(clCompileProgram);
  REFUSE(clLinkProgram);
  REFUSE(clUnloadPlatformCompiler);
  REFUSE(clGetKernelArgInfo);
  REFUSE(clEnqueueFillBuffer);
  REFUSE(clEnqueueFillImage);
  REFUSE(clEnqueueMigrateMemObjects);
  REFUSE(clEnqueueMarkerWithWaitList);
  REFUSE(clEnqueueBarrierWithWaitList);
  REFUSE(clGetExtensionFunctionAddressForPlatform);
  // 2.0
  REFUSE(clCreateCommandQueueWithProperties);
  REFUSE(clCreatePipe);
  REFUSE(clGetPipeInfo);
  REFUSE(clSVMAlloc);
  REFUSE(clSVMFree);
  REFUSE(clEnqueueSVMFree);
  REFUSE(clEnqueueSVMMemcpy);
  REFUSE(clEnqueueSVMMemFill);
  REFUSE(clEnqueueSVMMap);
  REFUSE(clEnqueueSVMUnmap);
  REFUSE(clCreateSamplerWithProperties);
  REFUSE(clSetKernelArgSVMPointer);
  REFUSE(clSetKernelExecInfo);
  // 2.1
  REFUSE(clCloneKernel);
  REFUSE(clCreateProgramWithIL);
  REFUSE(clEnqueueSVMMigrateMem);
  REFUSE(clGetDeviceAndHostTimer);
  REFUSE(clGetHostTimer);
  REFUSE(clGetKernelSubGroupInfo);
  REFUSE(clSetDefaultDeviceCommandQueue);
  // 2.2
  REFUSE(clSetProgramReleaseCallback);
  REFUSE(clSetProgramSpecializationConstant);
  // 3.0
  REFUSE(clCreateBufferWithProperties);
  REFUSE(clCreateImageWithProperties);
  REFUSE(clSetContextDestructorCallback);
}

// Queries. The constants are the first name of each kind that OpenCL 1.2 added; those of extensions
// are far above.

cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info name, size_t value_size,
                                 void* to, size_t* bytes_ret) {
  constexpr char kVersion[] = "OpenCL 1.1 old driver";
  if (name == CL_PLATFORM_VERSION)
    return give(kVersion, sizeof kVersion, value_size, to, bytes_ret);
  if (name > CL_PLATFORM_EXTENSIONS && name < 0x0910) return refused("clGetPlatformInfo");
  return driver().clGetPlatformInfo(platform, name, value_size, to, bytes_ret);
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t value_size,
                               void* to, size_t* bytes_ret) {
  constexpr char kVersion[] = "OpenCL 1.1 old driver";
  constexpr char kLanguage[] = "OpenCL C 1.1 old driver";
  if (name == CL_DEVICE_VERSION) return give(kVersion, sizeof kVersion, value_size, to, bytes_ret);
  if (name == CL_DEVICE_OPENCL_C_VERSION) {
    return give(kLanguage, sizeof kLanguage, value_size, to, bytes_ret);
  }
  if (name > CL_DEVICE_OPENCL_C_VERSION && name < 0x1080) return refused("clGetDeviceInfo");
  if (const GroupLimits limits = group_limits(); limits.set) {
    if (name == CL_DEVICE_MAX_WORK_GROUP_SIZE) {
      return give(&limits.items, sizeof limits.items, value_size, to, bytes_ret);
    }
    if (name == CL_DEVICE_MAX_WORK_ITEM_SIZES) {
      return give(limits.sizes, sizeof limits.sizes, value_size, to, bytes_ret);
    }
  }
  return driver().clGetDeviceInfo(device, name, value_size, to, bytes_ret);
}

cl_int CL_API_CALL queue_info(cl_command_queue queue, cl_command_queue_info name, size_t value_size,
                              void* to, size_t* bytes_ret) {
  if (name > CL_QUEUE_PROPERTIES) return refused("clGetCommandQueueInfo");
  return driver().clGetCommandQueueInfo(queue, name, value_size, to, bytes_ret);
}

cl_int CL_API_CALL memory_info(cl_mem memory, cl_mem_info name, size_t value_size, void* to,
                               size_t* bytes_ret) {
  if (name > CL_MEM_OFFSET && name < 0x1110) return refused("clGetMemObjectInfo");
  return driver().clGetMemObjectInfo(memory, name, value_size, to, bytes_ret);
}

cl_int CL_API_CALL program_info(cl_program program, cl_program_info name, size_t value_size,
                                void* to, size_t* bytes_ret) {
  if (name >= CL_PROGRAM_NUM_KERNELS) return refused("clGetProgramInfo");
  return driver().clGetProgramInfo(program, name, value_size, to, bytes_ret);
}

cl_int CL_API_CALL build_info(cl_program program, cl_device_id device, cl_program_build_info name,
                              size_t value_size, void* to, size_t* bytes_ret) {
  if (name >= CL_PROGRAM_BINARY_TYPE) return refused("clGetProgramBuildInfo");
  return driver().clGetProgramBuildInfo(program, device, name, value_size, to, bytes_ret);
}

cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_kernel_info name, size_t value_size, void* to,
                               size_t* bytes_ret) {
  if (name >= CL_KERNEL_ATTRIBUTES) return refused("clGetKernelInfo");
  return driver().clGetKernelInfo(kernel, name, value_size, to, bytes_ret);
}

cl_int CL_API_CALL group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name,
                              size_t value_size, void* to, size_t* bytes_ret) {
  if (name >= CL_KERNEL_GLOBAL_WORK_SIZE) return refused("clGetKernelWorkGroupInfo");
  const GroupLimits limits = group_limits();
  if (limits.set && name == CL_KERNEL_WORK_GROUP_SIZE) {
    return give(&limits.of_kernel, sizeof limits.of_kernel, value_size, to, bytes_ret);
  }
  return driver().clGetKernelWorkGroupInfo(kernel, device, name, value_size, to, bytes_ret);
}

cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info name, size_t value_size,
                                  void* to, size_t* bytes_ret) {
  if (name > CL_PROFILING_COMMAND_END) return refused("clGetEventProfilingInfo");
  return driver().clGetEventProfilingInfo(event, name, value_size, to, bytes_ret);
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                          const size_t* offset, const size_t* global, const size_t* local,
                          cl_uint num_waits, const cl_event* waits, cl_event* event) {
  if (const GroupLimits limits = group_limits(); limits.set) {
    size_t items = 1;
    for (cl_uint i = 0; local != nullptr && i < dimensions; ++i) {
      if (local[i] > limits.sizes[i]) return CL_INVALID_WORK_ITEM_SIZE;
      items *= local[i];
    }
    const bool fits = items <= limits.items && items <= limits.of_kernel;
    if (local == nullptr || !fits) return CL_INVALID_WORK_GROUP_SIZE;
  }
  return driver().clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                         num_waits, waits, event);
}

// Flags and options

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host,
                                 cl_int* code) {
  if (flags >= CL_MEM_HOST_WRITE_ONLY) {
    const cl_int why = refused("clCreateBuffer");
    if (code != nullptr) *code = why;
    return nullptr;
  }
  return driver().clCreateBuffer(context, flags, bytes, host, code);
}

void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                             cl_map_flags flags, size_t offset, size_t bytes, cl_uint num_waits,
                             const cl_event* waits, cl_event* event, cl_int* code) {
  if (flags >= CL_MAP_WRITE_INVALIDATE_REGION) {
    const cl_int why = refused("clEnqueueMapBuffer");
    if (code != nullptr) *code = why;
    return nullptr;
  }
  return driver().clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes, num_waits,
                                     waits, event, code);
}

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices,
                         const char* options, void(CL_CALLBACK* notify)(cl_program, void*),
                         void* data) {
  std::string text = options == nullptr ? "" : options;
  const std::size_t standard = text.find("-cl-std=");
  const bool newer =
      standard != std::string::npos && text.compare(standard, 13, "-cl-std=CL1.1") != 0;
  if (newer || text.find("-cl-kernel-arg-info") != std::string::npos) {
    write_down("newer", ("clBuildProgram " + text).c_str());
    return CL_INVALID_BUILD_OPTIONS;
  }
  if (standard == std::string::npos) text += " -cl-std=CL1.1";
  return driver().clBuildProgram(program, count, devices, text.c_str(), notify, data);
}

// A function that drivers of OpenCL 1.1 have, but that aborts in PoCL.
cl_int CL_API_CALL wait_for_events(cl_command_queue queue, cl_uint count, const cl_event* events) {
  return driver().clEnqueueBarrierWithWaitList(queue, count, events, nullptr);
}

// Copies

cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                               size_t offset, size_t bytes, void* to, cl_uint num_waits,
                               const cl_event* waits, cl_event* event) {
  write_down("copy", "clEnqueueReadBuffer");
  return driver().clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, to, num_waits, waits,
                                      event);
}

cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                size_t offset, size_t bytes, const void* from, cl_uint num_waits,
                                const cl_event* waits, cl_event* event) {
  write_down("copy", "clEnqueueWriteBuffer");
  return driver().clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, from, num_waits,
                                       waits, event);
}

}  // namespace

void replace_calls(cl_icd_dispatch& layer) {
  refuse_newer_calls(layer);
  layer.clGetPlatformInfo = platform_info;
  layer.clGetDeviceInfo = device_info;
  layer.clGetCommandQueueInfo = queue_info;
  layer.clGetMemObjectInfo = memory_info;
  layer.clGetProgramInfo = program_info;
  layer.clGetProgramBuildInfo = build_info;
  layer.clGetKernelInfo = kernel_info;
  layer.clGetKernelWorkGroupInfo = group_info;
  layer.clGetEventProfilingInfo = profiling_info;
  layer.clEnqueueNDRangeKernel = launch;
  layer.clCreateBuffer = create_buffer;
  layer.clEnqueueMapBuffer = map_buffer;
  layer.clEnqueueWaitForEvents = wait_for_events;
  layer.clBuildProgram = build;
  layer.clEnqueueReadBuffer = read_buffer;
  layer.clEnqueueWriteBuffer = write_buffer;
}

const char* layer_name() {
  return "tilewright old driver";
}
