// The work-group that a kernel is launched with on a device of given limits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// Work-items of a work-group that a device, or one kernel on it, can run.
struct WorkGroupLimits {
  std::int64_t items = 1;
  std::array<std::int64_t, 3> items_by_dimension = {1, 1, 1};
};

// True if the kernel computes the same with work-groups of any size: nothing in its text depends on
// work-groups, as in a kernel that reads global ids only.
bool runs_in_any_work_group(const KernelRecord&);

// The local size in dimensions 0 to 2: that of the record, or a smaller one that divides it, if the
// limits ask for that and the kernel runs in any work-group. nullopt: the device cannot run it.
// {0, 0, 1}: the driver chooses.
std::optional<std::array<std::int64_t, 3>> launched_work_group(const KernelRecord&,
                                                               const WorkGroupLimits&);

}  // namespace tilewright
