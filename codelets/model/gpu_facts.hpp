// What do models of a GPU's kernels know of the GPU, beyond what its driver answers?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/precision.hpp"

namespace tilewright {

// Of one OpenCL device. Figures come from limits files, which name their sources
// (docs/parameters.md); 0, or an empty text or list, where nothing is known.
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
  bool operator==(const GpuFacts&) const = default;

  bool known() const { return !registers.empty(); }
  // Of arithmetic in that type.
  int fma_per_clock_of(Precision arithmetic) const {
    if (arithmetic == Precision::kDouble) return double_fma_per_clock;
    return arithmetic == Precision::kHalf ? half_fma_per_clock : fma_per_clock;
  }
};

}  // namespace tilewright
