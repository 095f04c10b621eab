// Which limits files are built into the program?
//
// Internal: limits_file.hpp reads them. Defined by a source that cmake/embed_limits.cmake makes.
#pragma once

#include <string_view>
#include <vector>

namespace tilewright {

struct KnownLimits {
  std::string_view name;  // of the file, without ".toml"
  std::string_view text;
};

const std::vector<KnownLimits>& known_limits();

}  // namespace tilewright
