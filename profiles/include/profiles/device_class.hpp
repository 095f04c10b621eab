// Which kind of processor is a device, so far as its built-in kernels must know?
//
// The built-in profile (built_in.hpp) has kernels for each class. What class a device is of follows
// from what its driver says of it. Where that leaves two, the library times both, once
// (runtime/api/class_trial.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

enum class DeviceClass {
  kCpu8,      // a CPU with vectors of 8 floats: 16 registers of 256 bits
  kCpu16,     // of 16 floats: 32 registers of 512 bits
  kGpuLocal,  // a GPU whose local memory is memory of its own
  kGpu,       // any other GPU, and what behaves like one: local memory is the caches in disguise
};

enum class DeviceKind { kCpu, kGpu, kOther };

// What is known of a device: what its driver says, and what was timed.
struct ClassFacts {
  DeviceKind kind = DeviceKind::kOther;
  int native_vector_width = 1;             // floats
  bool local_memory_is_dedicated = false;  // CL_LOCAL
  int compute_units = 0;
  int max_clock_mhz = 0;                  // some drivers say nonsense
  std::optional<DeviceClass> timed = {};  // the faster of likely_classes()
  bool has_double = false;                // cl_khr_fp64
  bool operator==(const ClassFacts&) const = default;
};

// The classes whose kernels may be the best on such a device, the likeliest first; none: nobody
// knows what it likes.
std::vector<DeviceClass> likely_classes(const ClassFacts& facts);
// The one that was timed to be the best, else the likeliest; nullopt: none is likely.
std::optional<DeviceClass> class_of(const ClassFacts& facts);

// The classes that a kernel is for, in order; none: for every device.
using DeviceClasses = std::vector<DeviceClass>;

// The words of the text format, and back (nullopt: no such class). A list has spaces between.
std::string_view to_text(DeviceClass);
std::optional<DeviceClass> parse_device_class(std::string_view);
std::string to_text(const DeviceClasses&);
std::optional<DeviceClasses> parse_device_classes(std::string_view);

}  // namespace tilewright
