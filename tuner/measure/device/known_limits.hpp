// Declares the limits files that are built into the program.
//
// Internal: only limits_file.cpp reads them. cmake/embed_limits.cmake generates the source file
// that defines known_limits().
#pragma once

#include <string_view>
#include <vector>

namespace tilewright {

// A built-in limits file.
struct KnownLimits {
  std::string_view name;  // of the file, without ".toml"
  std::string_view text;
};

// Returns all built-in limits files.
const std::vector<KnownLimits>& known_limits();

}  // namespace tilewright
