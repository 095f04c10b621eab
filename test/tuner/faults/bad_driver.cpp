// An OpenCL driver with a fault, which $TILEWRIGHT_BAD_DRIVER names:
//   crash, hang   the process that loads it dies, or waits for ever
//   devices=-6    its platform does not list its devices: clGetDeviceIDs returns that code
//   devices=-6,unnamed  the same, and its platform has no name
//   query=0x102b  it has one device, which fails that query with CL_OUT_OF_HOST_MEMORY
//   unavailable, uncompiling  it has one device that is not available, or has no compiler
//   talk          prints to standard output when it is loaded, and has no device
// Without the variable it is a library that is not a driver.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

// The loader finds a driver's functions in a table at the start of every object of the driver.
struct _cl_platform_id {
  cl_icd_dispatch* dispatch;
};
struct _cl_device_id {
  cl_icd_dispatch* dispatch;
};

namespace {

std::string fault() {
  const char* how = std::getenv("TILEWRIGHT_BAD_DRIVER");
  return how == nullptr ? "" : how;
}

// Returns the number after "KEY=" in the fault; 0 for another fault.
long fault_number(const std::string& key) {
  const std::string how = fault();
  if (how.rfind(key + "=", 0) != 0) return 0;
  return std::strtol(how.c_str() + key.size() + 1, nullptr, 0);
}

__attribute__((constructor)) void misbehave() {
  if (fault() == "hang") {
    for (;;) ::pause();
  }
  if (fault() == "crash") {
    std::signal(SIGSEGV, SIG_DFL);  // otherwise sanitizers would report it and exit
    std::raise(SIGSEGV);
  }
  if (fault() == "talk") std::printf("driver release 'x1'");
}

cl_int copy_out(const void* value, std::size_t bytes, std::size_t capacity, void* to,
                std::size_t* size) {
  if (size != nullptr) *size = bytes;
  if (to == nullptr) return CL_SUCCESS;
  if (capacity < bytes) return CL_INVALID_VALUE;
  std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}

cl_int copy_text(const char* text, std::size_t capacity, void* to, std::size_t* size) {
  return copy_out(text, std::strlen(text) + 1, capacity, to, size);
}

extern cl_icd_dispatch table;
_cl_platform_id platform = {&table};
_cl_device_id device = {&table};

cl_int CL_API_CALL platform_info(cl_platform_id, cl_platform_info what, std::size_t capacity,
                                 void* to, std::size_t* size) {
  switch (what) {
    case CL_PLATFORM_NAME:
      return copy_text(fault() == "devices=-6,unnamed" ? "" : "Bad Platform", capacity, to, size);
    case CL_PLATFORM_VERSION:
      return copy_text("OpenCL 1.2 v1.r18p0", capacity, to, size);
    case CL_PLATFORM_PROFILE:
      return copy_text("FULL_PROFILE", capacity, to, size);
    case CL_PLATFORM_EXTENSIONS:
      return copy_text("cl_khr_icd", capacity, to, size);
    default:
      return copy_text("BAD", capacity, to, size);
  }
}

cl_int CL_API_CALL device_ids(cl_platform_id, cl_device_type, cl_uint entries, cl_device_id* to,
                              cl_uint* count) {
  if (const long code = fault_number("devices"); code != 0) return static_cast<cl_int>(code);
  const bool has_device =
      fault_number("query") != 0 || fault() == "unavailable" || fault() == "uncompiling";
  if (!has_device) return CL_DEVICE_NOT_FOUND;
  if (count != nullptr) *count = 1;
  if (to != nullptr && entries > 0) *to = &device;
  return CL_SUCCESS;
}

cl_int CL_API_CALL device_info(cl_device_id, cl_device_info what, std::size_t capacity, void* to,
                               std::size_t* size) {
  if (static_cast<long>(what) == fault_number("query")) return CL_OUT_OF_HOST_MEMORY;
  constexpr cl_ulong kNumbers[3] = {256, 256, 256};
  const cl_platform_id itself = &platform;
  const cl_device_type type = CL_DEVICE_TYPE_GPU;
  const std::size_t sizes[3] = {256, 256, 256};
  switch (what) {
    case CL_DEVICE_PLATFORM:
      return copy_out(&itself, sizeof itself, capacity, to, size);
    case CL_DEVICE_TYPE:
      return copy_out(&type, sizeof type, capacity, to, size);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
      return copy_out(sizes, sizeof sizes, capacity, to, size);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return copy_out(sizes, sizeof sizes[0], capacity, to, size);
    case CL_DEVICE_LOCAL_MEM_SIZE:
      return copy_out(kNumbers, sizeof kNumbers[0], capacity, to, size);
    case CL_DEVICE_NAME:
      return copy_text("Bad Device", capacity, to, size);
    case CL_DEVICE_VENDOR:
    case CL_DEVICE_EXTENSIONS:
      return copy_text("", capacity, to, size);
    case CL_DRIVER_VERSION:
    case CL_DEVICE_VERSION:
      return copy_text("OpenCL 1.2 v1", capacity, to, size);
    case CL_DEVICE_OPENCL_C_VERSION:
      return copy_text("OpenCL C 1.2 v1", capacity, to, size);
    case CL_DEVICE_AVAILABLE: {
      const cl_bool available = fault() != "unavailable";
      return copy_out(&available, sizeof available, capacity, to, size);
    }
    case CL_DEVICE_COMPILER_AVAILABLE: {
      const cl_bool compiles = fault() != "uncompiling";
      return copy_out(&compiles, sizeof compiles, capacity, to, size);
    }
    default: {
      const cl_uint one = 1;
      return copy_out(&one, sizeof one, capacity, to, size);
    }
  }
}

cl_int CL_API_CALL keep_device(cl_device_id) {
  return CL_SUCCESS;
}

cl_icd_dispatch make_table() {
  cl_icd_dispatch made = {};
  made.clGetPlatformInfo = platform_info;
  made.clGetDeviceIDs = device_ids;
  made.clGetDeviceInfo = device_info;
  made.clRetainDevice = keep_device;
  made.clReleaseDevice = keep_device;
  return made;
}

cl_icd_dispatch table = make_table();

cl_int CL_API_CALL platform_ids(cl_uint entries, cl_platform_id* to, cl_uint* count) {
  if (count != nullptr) *count = 1;
  if (to != nullptr && entries > 0) *to = &platform;
  return CL_SUCCESS;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void* CL_API_CALL
clGetExtensionFunctionAddress(const char* name) {
  const bool known = std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0 && !fault().empty();
  return known ? reinterpret_cast<void*>(platform_ids) : nullptr;
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetPlatformInfo(
    cl_platform_id of, cl_platform_info what, std::size_t capacity, void* to, std::size_t* size) {
  return platform_info(of, what, capacity, to, size);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint entries,
                                                                                 cl_platform_id* to,
                                                                                 cl_uint* count) {
  return platform_ids(entries, to, count);
}

}  // extern "C"
