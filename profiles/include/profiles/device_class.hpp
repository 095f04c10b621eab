// Which kind of processor is a device, so far as its built-in kernels must know?
//
// The built-in profile (built_in.hpp) has kernels for each class. The class follows by rule from
// what the driver reports, so that opening a library compiles and times nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/device_info.hpp"

namespace tilewright {

enum class DeviceClass {
  kCpu8,      // a CPU with vectors of 8 floats: 16 registers of 256 bits
  kCpu16,     // of 16 floats: 32 registers of 512 bits
  kGpuLocal,  // a GPU whose local memory is memory of its own
  kGpu,       // any other GPU, and what behaves like one: local memory is the caches in disguise
};

// The classes whose kernels may be the best on such a device, the likeliest first. The library uses
// the first; a tuning measures the kernels of all. None: neither a CPU nor a GPU.
std::vector<DeviceClass> likely_classes(const DeviceInfo& device);
// The first of them.
std::optional<DeviceClass> class_of(const DeviceInfo& device);

// The classes that a kernel is for, in order; none: for every device.
using DeviceClasses = std::vector<DeviceClass>;

// The words of the text format, and back (nullopt: no such class). A list has spaces between.
std::string_view to_text(DeviceClass);
std::optional<DeviceClass> parse_device_class(std::string_view);
std::string to_text(const DeviceClasses&);
std::optional<DeviceClasses> parse_device_classes(std::string_view);

}  // namespace tilewright
