// What is known of an OpenCL device?
//
// DeviceInfo is the one description that all modules share. Profiles store a part of it,
// DeviceIdentity.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/precision.hpp"

namespace tilewright {

// Limits that kernels rely on, as the driver reports them. A device that offers less must not run
// the kernels.
struct DeviceLimits {
  std::int64_t max_work_group_size = 1;                      // work-items
  std::array<std::int64_t, 2> max_work_item_sizes = {1, 1};  // work-items, dimensions 0 and 1
  std::int64_t local_memory_bytes = 0;
  bool local_memory_is_dedicated = false;  // CL_LOCAL (true) or CL_GLOBAL: the caches in disguise
  bool image_support = false;
  bool operator==(const DeviceLimits&) const = default;
};

// Who a device is. Hard identity must match for a profile to be served; soft identity may differ
// (it is then the same silicon under other software); clocks are information only, since drivers
// lie about them (several Mali drivers answer 5 MHz).
struct DeviceIdentity {
  std::string vendor;            // hard: CL_DEVICE_VENDOR
  std::string name;              // CL_DEVICE_NAME; its hardware_name() is hard, the rest soft
  std::string opencl_c_version;  // hard: "OpenCL C <major>.<minor>"
  DeviceLimits limits;           // hard
  std::string platform;          // soft: CL_PLATFORM_NAME and CL_PLATFORM_VERSION
  std::string driver;            // soft: CL_DRIVER_VERSION and CL_DEVICE_VERSION
  int compute_units = 0;         // soft
  int max_clock_mhz = 0;         // information, MHz, as the driver claims
  bool operator==(const DeviceIdentity&) const = default;
};

// Bounds of the search for kernels: the limits of the device, or less where kernels near a limit
// are known to fail (work-groups of CPUs), and what no driver reports. A limits file
// (docs/parameters.md) sets them for a device that is not here.
struct SpaceLimits : DeviceLimits {
  int max_vector_width = 16;  // floats: the widest vector that its compilers take
  int register_floats = 64;   // floats a work-item can keep in registers: an estimate
  // Floats that all work-items of a group can keep across barriers; CPUs keep them in memory, on
  // a stack. An estimate.
  std::int64_t group_floats = std::numeric_limits<std::int64_t>::max();
  bool half_arithmetic = false;  // cl_khr_fp16; all devices read and write halfs
  bool operator==(const SpaceLimits&) const = default;
};

// What is known of a GPU, beyond what its driver answers. Figures come from limits files, which
// name their sources (docs/parameters.md); 0, or an empty text or list, where nothing is known.
struct GpuFacts {
  std::string name;          // part of CL_DEVICE_NAME
  std::string architecture;  // "midgard", "bifrost", "valhall", "adreno" ...
  int compute_units = 0;
  int clock_mhz = 0;
  int vector_width = 0;  // floats that one instruction of a work-item takes
  int preferred_work_group_multiple = 0;
  int fma_per_clock = 0;  // multiply-adds of floats, of one compute unit
  bool has_fma = false;   // fma() is an instruction
  // A kernel that needs at most registers[i] registers of vector_width floats has at most
  // resident_work_items[i] work-items on a compute unit at a time, and so in a work-group. Both
  // ascend and descend, respectively, and are of the same length.
  std::vector<int> registers;
  std::vector<int> resident_work_items;
  std::int64_t l1_bytes = 0;  // of one compute unit
  std::int64_t l2_bytes = 0;
  int cache_line_bytes = 0;
  int watchdog_ms = 0;  // the shortest time after which a driver ends a launch
  // As fma_per_clock, of other types. Files may leave them out.
  int double_fma_per_clock = 0;
  int half_fma_per_clock = 0;
  // The name and its aliases with | between them, for names_kind(). Journals leave it out.
  std::string kinds = {};
  bool operator==(const GpuFacts&) const = default;

  bool known() const { return !registers.empty(); }
  // Of arithmetic in that type.
  int fma_per_clock_of(Precision arithmetic) const {
    if (arithmetic == Precision::kDouble) return double_fma_per_clock;
    return arithmetic == Precision::kHalf ? half_fma_per_clock : fma_per_clock;
  }
};

enum class DeviceKind { kCpu, kGpu, kOther };

std::string_view to_text(DeviceKind);  // "cpu", "gpu", "accelerator"

struct DeviceInfo {
  DeviceIdentity identity;

  // As the driver reports.
  DeviceKind kind = DeviceKind::kOther;
  int native_vector_width = 1;         // floats (half as many doubles) that are multiplied at once
  bool has_double = false;             // cl_khr_fp64
  std::int64_t memory_bytes = 0;       // of the device; 0: unknown
  std::size_t max_image_width = 0;     // pixels
  std::size_t max_image_height = 0;    // pixels
  std::uint64_t max_buffer_bytes = 0;  // of one buffer

  // What only a tuning must know; the library leaves it as it is here.
  SpaceLimits limits = {};
  int least_work_group = 1;  // work-items below which lanes of the device idle
  // Work-items of a work-group run side by side (GPUs), not one after the other (CPUs).
  bool side_by_side = false;
  // Vector registers of a work-item, each of which holds one vector however narrow: CPUs. 0:
  // others, where what a work-item can hold is counted in floats (SpaceLimits).
  int vector_registers = 0;
  GpuFacts gpu = {};  // not known() of other devices and of GPUs without a limits file
  // Another device of the machine has the same name: both of a Mali-T628 do.
  bool name_is_shared = false;
  // The clock of a GPU, as clock_reader.hpp finds it; "" where it cannot be read.
  std::string clock_governor = {};
  std::string clock_path = {};
  std::string clock_warning = {};  // why samples may not be comparable, and what to do; "": none

  bool operator==(const DeviceInfo&) const = default;
};

}  // namespace tilewright
