// Rules that relate several fields of a kernel, or a kernel and its device. Private to profiles.
#pragma once

#include <optional>
#include <string>

#include "profiles/device_info.hpp"
#include "profiles/kernel_record.hpp"
#include "profiles/toml_table.hpp"

namespace tilewright {

// Throws ProfileError with the place of a field in `table` if the kernel violates a rule.
void check_kernel(const KernelRecord& kernel, const TomlTable& table);

// A limit of the device that a kernel exceeds: the kernel's field, and the reason.
struct ExceededLimit {
  const char* key;
  std::string reason;
};
std::optional<ExceededLimit> exceeded_limit(const KernelRecord& kernel, const DeviceLimits& limits);

}  // namespace tilewright
