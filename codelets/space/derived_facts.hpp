// Compares the launch facts of a kernel with those that its parameter point gives.
//
// A profile's digest shows that a file is damaged, not that it was edited and the digest made anew.
// What a codelet emits for the point is known without a device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/kernel_record.hpp"

namespace tilewright {

struct FactDifference {
  std::string key;
  std::string value;     // as in the profile's text, or "(absent)"
  std::string expected;  // likewise
};

// The facts that differ, in alphabetical order. nullopt: there is nothing to compare with, because
// the record has no point or one that no codelet of this version emits.
std::optional<std::vector<FactDifference>> compare_with_point(const KernelRecord& record);

}  // namespace tilewright
