#include "runtime/device/device_identity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/base/printable.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/processor.hpp"

namespace tilewright {
namespace {

template <cl_device_info Name>
auto info(const cl::Device& device) {
  cl_int code = CL_SUCCESS;
  auto value = device.getInfo<Name>(&code);
  if (code != CL_SUCCESS) {
    // check_opencl() would add remedies about memory and work-groups, which do not help here.
    throw Error(to_status(code),
                fmt::format("clGetDeviceInfo of property {:#06x} failed with {}", Name,
                            opencl_code_text(code)),
                code);
  }
  return value;
}

std::string driver_text(std::string text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : printable(text.substr(first));
}

}  // namespace

std::string language_version(std::string_view driver_answer) {
  constexpr std::string_view kName = "OpenCL C ";
  if (driver_answer.substr(0, kName.size()) != kName) return std::string(driver_answer);
  return std::string(driver_answer.substr(0, driver_answer.find(' ', kName.size())));
}

DeviceKind device_kind(const cl::Device& device) {
  const cl_device_type type = info<CL_DEVICE_TYPE>(device);
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return DeviceKind::kGpu;
  return (type & CL_DEVICE_TYPE_CPU) != 0 ? DeviceKind::kCpu : DeviceKind::kOther;
}

DeviceIdentity identify(const cl::Device& device) {
  DeviceIdentity identity;
  identity.vendor = driver_text(info<CL_DEVICE_VENDOR>(device));
  identity.name = driver_text(info<CL_DEVICE_NAME>(device));
  identity.opencl_c_version =
      language_version(driver_text(info<CL_DEVICE_OPENCL_C_VERSION>(device)));
  if (device_kind(device) == DeviceKind::kCpu) identity.processor = host_processor();
  identity.limits.max_work_group_size =
      static_cast<std::int64_t>(info<CL_DEVICE_MAX_WORK_GROUP_SIZE>(device));
  const auto item_sizes = info<CL_DEVICE_MAX_WORK_ITEM_SIZES>(device);
  for (std::size_t i = 0; i < 2 && i < item_sizes.size(); ++i) {
    identity.limits.max_work_item_sizes[i] = static_cast<std::int64_t>(item_sizes[i]);
  }
  identity.limits.local_memory_bytes =
      static_cast<std::int64_t>(info<CL_DEVICE_LOCAL_MEM_SIZE>(device));
  identity.limits.local_memory_is_dedicated = info<CL_DEVICE_LOCAL_MEM_TYPE>(device) == CL_LOCAL;
  identity.limits.image_support = info<CL_DEVICE_IMAGE_SUPPORT>(device) != CL_FALSE;
  cl_int code = CL_SUCCESS;
  const cl::Platform platform(info<CL_DEVICE_PLATFORM>(device));
  identity.platform = driver_text(platform.getInfo<CL_PLATFORM_NAME>(&code)) + ", ";
  check_opencl(code, "clGetPlatformInfo");
  identity.platform += driver_text(platform.getInfo<CL_PLATFORM_VERSION>(&code));
  check_opencl(code, "clGetPlatformInfo");
  // Mali drivers report "1.2" as driver version; the device version contains their revision.
  identity.driver = driver_text(info<CL_DRIVER_VERSION>(device)) + ", " +
                    driver_text(info<CL_DEVICE_VERSION>(device));
  identity.compute_units = static_cast<int>(info<CL_DEVICE_MAX_COMPUTE_UNITS>(device));
  identity.max_clock_mhz = static_cast<int>(info<CL_DEVICE_MAX_CLOCK_FREQUENCY>(device));
  return identity;
}

DeviceInfo device_info(const cl::Device& device) {
  DeviceInfo found;
  found.identity = identify(device);
  found.kind = device_kind(device);
  found.native_vector_width =
      std::max(1, static_cast<int>(info<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>(device)));
  found.has_double = has_extension(device, required_extension(Precision::kDouble));
  found.memory_bytes = static_cast<std::int64_t>(info<CL_DEVICE_GLOBAL_MEM_SIZE>(device));
  if (found.identity.limits.image_support) {
    found.max_image_width = info<CL_DEVICE_IMAGE2D_MAX_WIDTH>(device);
    found.max_image_height = info<CL_DEVICE_IMAGE2D_MAX_HEIGHT>(device);
  }
  found.max_buffer_bytes = info<CL_DEVICE_MAX_MEM_ALLOC_SIZE>(device);
  return found;
}

bool has_extension(const cl::Device& device, std::string_view extension) {
  const std::string all = fmt::format(" {} ", device.getInfo<CL_DEVICE_EXTENSIONS>());
  return extension.empty() || all.find(fmt::format(" {} ", extension)) != std::string::npos;
}

}  // namespace tilewright
