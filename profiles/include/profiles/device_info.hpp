// Description of an OpenCL device.
//
// DeviceInfo is the only description, which all modules share. Profiles store a part of it,
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

// Limits that kernels rely on, as the driver reports them. A device with lower limits must not run
// the kernels.
struct DeviceLimits {
  std::int64_t max_work_group_size = 1;                      // work-items
  std::array<std::int64_t, 2> max_work_item_sizes = {1, 1};  // work-items, dimensions 0 and 1
  std::int64_t local_memory_bytes = 0;
  // CL_LOCAL (true) or CL_GLOBAL, which is ordinary cached memory (false).
  bool local_memory_is_dedicated = false;
  bool image_support = false;
  bool operator==(const DeviceLimits&) const = default;
};

// Identifies a device. The hard fields must match for a profile to be used. If soft fields differ,
// it is the same hardware with other software, and kernels are verified before they are used.
// Clocks are only informative, because several Mali drivers report a wrong one (5 MHz).
struct DeviceIdentity {
  std::string vendor;            // hard: CL_DEVICE_VENDOR
  std::string name;              // CL_DEVICE_NAME; its hardware_name() is hard, the rest is soft
  std::string opencl_c_version;  // hard: "OpenCL C <major>.<minor>"
  // The processor that the device is, for CPUs: "AuthenticAMD family 25 model 17"
  // (runtime/device/processor.hpp). Soft if it is known of both devices, but profiles of another
  // processor are used only if they are named. Empty if unknown.
  std::string processor = {};
  DeviceLimits limits;    // hard
  std::string platform;   // soft: CL_PLATFORM_NAME and CL_PLATFORM_VERSION
  std::string driver;     // soft: CL_DRIVER_VERSION and CL_DEVICE_VERSION
  int compute_units = 0;  // soft
  int max_clock_mhz = 0;  // informative, MHz, as the driver reports
  bool operator==(const DeviceIdentity&) const = default;
};

// Limits of the search for kernels: the limits of the device, or lower ones where kernels near a
// limit are known to fail (work-groups on CPUs), and limits that drivers do not report. A limits
// file (docs/parameters.md) sets them for a device that is not present.
struct SpaceLimits : DeviceLimits {
  int max_vector_width = 16;  // floats in the widest vector that its compiler accepts
  int register_floats = 64;   // floats that a work-item can keep in registers: an estimate
  // Estimated number of floats that the work-items of a group together can keep across barriers.
  // CPUs keep them on a stack. The default, no limit, is that of GPUs.
  std::int64_t group_floats = std::numeric_limits<std::int64_t>::max();
  bool half_arithmetic = false;  // cl_khr_fp16; all devices can load and store half precision
  bool operator==(const SpaceLimits&) const = default;
};

// Facts about a GPU that its driver does not report. They come from limits files, which name their
// sources (docs/parameters.md). Unknown facts are 0 or empty.
struct GpuFacts {
  std::string name;          // part of CL_DEVICE_NAME
  std::string architecture;  // "midgard", "bifrost", "valhall", "adreno" ...
  int compute_units = 0;
  int clock_mhz = 0;
  int vector_width = 0;  // floats per instruction of a work-item
  int preferred_work_group_multiple = 0;
  int fma_per_clock = 0;  // single-precision multiply-adds of one compute unit
  bool has_fma = false;   // fma() is an instruction
  // A kernel that uses at most registers[i] registers (of vector_width floats each) can have at
  // most resident_work_items[i] work-items on a compute unit at the same time, and so in a
  // work-group. `registers` ascends, `resident_work_items` descends; both have the same length.
  std::vector<int> registers;
  std::vector<int> resident_work_items;
  std::int64_t l1_bytes = 0;  // per compute unit
  std::int64_t l2_bytes = 0;
  int cache_line_bytes = 0;
  int watchdog_ms = 0;  // minimum time after which a driver aborts a launch
  // Like fma_per_clock, for other types. Optional in files.
  int double_fma_per_clock = 0;
  int half_fma_per_clock = 0;
  // The name and its aliases, separated by |, as names_kind() expects. Not stored in journals.
  std::string kinds = {};
  bool operator==(const GpuFacts&) const = default;

  bool known() const { return !registers.empty(); }
  // Multiply-adds per clock in the given type.
  int arithmetic_fma_per_clock(Precision arithmetic) const {
    if (arithmetic == Precision::kDouble) return double_fma_per_clock;
    return arithmetic == Precision::kHalf ? half_fma_per_clock : fma_per_clock;
  }
};

// The kind of a device, from CL_DEVICE_TYPE.
enum class DeviceKind { kCpu, kGpu, kOther };

std::string_view to_text(DeviceKind);  // "cpu", "gpu", "accelerator"

// Everything that is known about a device.
struct DeviceInfo {
  DeviceIdentity identity;

  // Reported by the driver.
  DeviceKind kind = DeviceKind::kOther;
  int native_vector_width = 1;         // floats per vector instruction (half as many doubles)
  bool has_double = false;             // cl_khr_fp64
  std::int64_t memory_bytes = 0;       // global memory of the device; 0: unknown
  std::size_t max_image_width = 0;     // pixels
  std::size_t max_image_height = 0;    // pixels
  std::uint64_t max_buffer_bytes = 0;  // maximum size of one buffer

  // Needed only by a tuning. The library leaves these at their defaults.
  SpaceLimits limits = {};
  int min_work_group = 1;  // minimum number of work-items that uses all lanes of the device
  // Work-items of a work-group run in parallel (GPUs), not one after the other (CPUs).
  bool side_by_side = false;
  // Number of vector registers of a CPU, each of which holds one vector of any width. 0 for other
  // devices, where register space is counted in floats (SpaceLimits).
  int vector_registers = 0;
  GpuFacts gpu = {};  // not known() for other devices and for GPUs without a limits file
  // Another device of the machine has the same name, as on a Mali-T628.
  bool name_is_shared = false;
  // How to read the clock of a GPU; see clock_reader.hpp. "" if it cannot be read.
  std::string clock_governor = {};
  std::string clock_path = {};
  // Why samples may not be comparable, and what to do; "": no warning.
  std::string clock_warning = {};

  bool operator==(const DeviceInfo&) const = default;
};

}  // namespace tilewright
