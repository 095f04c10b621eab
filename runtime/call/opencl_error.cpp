#include "runtime/call/opencl_error.hpp"

#include <fmt/format.h>

#include <string_view>

#include "runtime/opencl/opencl_loader.hpp"

namespace tilewright {
namespace {

constexpr cl_int kNoPlatform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR

struct CodeName {
  cl_int code;
  const char* name;
  const char* remedy;
};

constexpr CodeName kCodes[] = {
    {CL_SUCCESS, "CL_SUCCESS", ""},
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND",
     "install the OpenCL driver of the device; clinfo lists devices"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE",
     "another program may use the device exclusively, or its driver has failed; see the kernel log"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE",
     "the driver was installed without a compiler"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE",
     "the device has not enough free memory for the buffers"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES",
     "the device rejected or aborted the kernel: the work-group is too large, the kernel ran too "
     "long, or memory is short"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", "free some host memory"},
    {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE",
     "create the queue with CL_QUEUE_PROFILING_ENABLE"},
    {CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP", ""},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE", ""},
    {CL_MAP_FAILURE, "CL_MAP_FAILURE", ""},
    {CL_MISALIGNED_SUB_BUFFER_OFFSET, "CL_MISALIGNED_SUB_BUFFER_OFFSET", ""},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
     "a command in the wait list has failed"},
    {CL_COMPILE_PROGRAM_FAILURE, "CL_COMPILE_PROGRAM_FAILURE", ""},
    {CL_LINKER_NOT_AVAILABLE, "CL_LINKER_NOT_AVAILABLE", ""},
    {CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE", ""},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE", ""},
    {CL_INVALID_DEVICE_TYPE, "CL_INVALID_DEVICE_TYPE", ""},
    {CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM", ""},
    {CL_INVALID_DEVICE, "CL_INVALID_DEVICE", ""},
    {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT", ""},
    {CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES", ""},
    {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE", ""},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT", ""},
    {CL_INVALID_BINARY, "CL_INVALID_BINARY", ""},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS", ""},
    {CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM", ""},
    {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE", ""},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME", ""},
    {CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION", ""},
    {CL_INVALID_KERNEL, "CL_INVALID_KERNEL", ""},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX", ""},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE", ""},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE", ""},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS", ""},
    {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION", ""},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE", ""},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE", ""},
    {CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET", ""},
    {CL_INVALID_EVENT_WAIT_LIST, "CL_INVALID_EVENT_WAIT_LIST",
     "an event in the wait list belongs to another context"},
    {CL_INVALID_EVENT, "CL_INVALID_EVENT", ""},
    {CL_INVALID_OPERATION, "CL_INVALID_OPERATION", ""},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE",
     "one buffer exceeds the device's CL_DEVICE_MAX_MEM_ALLOC_SIZE"},
    {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE", ""},
    {CL_INVALID_PROPERTY, "CL_INVALID_PROPERTY", ""},
    {kNoPlatform, "CL_PLATFORM_NOT_FOUND_KHR",
     "no OpenCL driver is installed; a file in /etc/OpenCL/vendors must name one"},
};

const CodeName* find_code(cl_int code) {
  for (const CodeName& entry : kCodes) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

// Returns why the OpenCL loader, not the driver, caused the error; "" if it did not.
std::string loader_reason(cl_int code, const char* call) {
  if (code == kNoPlatform) return no_loader_reason();
  return code == CL_INVALID_OPERATION ? missing_function_reason(call) : "";
}

}  // namespace

std::string opencl_code_text(cl_int code) {
  const CodeName* entry = find_code(code);
  return fmt::format("{} ({})", entry ? entry->name : "unknown OpenCL error code", code);
}

tw_status to_status(cl_int code) {
  const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
                      code == CL_INVALID_BUFFER_SIZE;
  return memory ? TW_OUT_OF_MEMORY : TW_OPENCL_ERROR;
}

bool lacks_memory(cl_int code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
         code == CL_OUT_OF_HOST_MEMORY;
}

void check_opencl(cl_int code, const char* call) {
  if (code == CL_SUCCESS) return;
  const CodeName* entry = find_code(code);
  std::string message = fmt::format("{} failed with {}", call, opencl_code_text(code));
  const std::string loader = loader_reason(code, call);
  if (!loader.empty()) {
    message += ": " + loader;
  } else if (entry && !std::string_view(entry->remedy).empty()) {
    message += fmt::format(": {}", entry->remedy);
  }
  throw Error(to_status(code), message, code);
}

}  // namespace tilewright
