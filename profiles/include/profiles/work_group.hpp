// Chooses the work-group size with which a kernel is launched on a device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// Work-group limits of a device, or of one kernel on it, in work-items.
struct WorkGroupLimits {
  std::int64_t items = 1;
  std::array<std::int64_t, 3> items_by_dimension = {1, 1, 1};
};

// True if the kernel's result does not depend on the work-group size: its text reads global ids
// only and uses nothing that depends on work-groups.
bool runs_in_any_work_group(const KernelRecord&);

// Returns the local size in dimensions 0 to 2. This is the record's, or a smaller one that divides
// it if the limits require this and the kernel runs in any work-group. Returns nullopt if the
// device cannot run the kernel, and {0, 0, 1} if the driver chooses.
std::optional<std::array<std::int64_t, 3>> launched_work_group(const KernelRecord&,
                                                               const WorkGroupLimits&);

}  // namespace tilewright
