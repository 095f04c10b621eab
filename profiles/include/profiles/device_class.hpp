// Classes of processors. The choice of built-in kernels depends on them.
//
// The built-in profile (built_in.hpp) has kernels for each class. A device's class follows by rule
// from what its driver reports, so that opening a library compiles and times nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/device_info.hpp"

namespace tilewright {

// The classes; their order is that of lists of classes.
enum class DeviceClass {
  kCpu8,      // a CPU with vectors of 8 floats: 16 registers of 256 bits
  kCpu16,     // a CPU with vectors of 16 floats: 32 registers of 512 bits
  kGpuLocal,  // a GPU with dedicated local memory
  kGpu,       // any other GPU, and similar devices: local memory is ordinary cached memory
};

// The classes whose kernels may be the fastest on the device, most likely first. The library uses
// the first one; a tuning measures the kernels of all of them. Empty if the device is neither a CPU
// nor a GPU.
std::vector<DeviceClass> likely_classes(const DeviceInfo& device);
// The first of likely_classes(), or nullopt.
std::optional<DeviceClass> likeliest_class(const DeviceInfo& device);

// The classes that a kernel is for, in the order of the enumeration; empty: for every device.
using DeviceClasses = std::vector<DeviceClass>;

// Conversion to and from the words of the text format (nullopt: unknown class). Lists are separated
// by spaces.
std::string_view to_text(DeviceClass);
std::optional<DeviceClass> parse_device_class(std::string_view);
std::string to_text(const DeviceClasses&);
std::optional<DeviceClasses> parse_device_classes(std::string_view);

}  // namespace tilewright
