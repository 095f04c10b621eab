// Rules that relate several fields of a kernel, or a kernel and its device. Private to profiles.
#pragma once

#include "profiles/device_info.hpp"
#include "profiles/kernel_record.hpp"
#include "profiles/toml_table.hpp"

namespace tilewright {

// Throw ProfileError with the place of a field in `table` if the kernel violates a rule.
void check_kernel(const KernelRecord& kernel, const TomlTable& table);
void check_limits(const KernelRecord& kernel, const DeviceLimits& limits, const TomlTable& table);

}  // namespace tilewright
