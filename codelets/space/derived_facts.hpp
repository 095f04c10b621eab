// Compares the launch facts of a kernel with those that its parameter point implies.
//
// A profile's digest detects damaged files, but not a file that was edited and given a new digest.
// The facts that a generator emits for the point are known without a device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// One fact that differs from what the generator emits.
struct FactDifference {
  std::string key;
  std::string value;     // text of the value in the profile, or "(absent)"
  std::string expected;  // text of the value that the generator emits
};

// Returns the facts that differ, in alphabetical order. Returns nullopt if the record has no point,
// or a point that this version cannot emit.
std::optional<std::vector<FactDifference>> compare_with_point(const KernelRecord& record);

}  // namespace tilewright
