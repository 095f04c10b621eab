// What does the environment of this process say about where the user's files are?
#pragma once

#include <cstdlib>
#include <string>

namespace tilewright {

// The value of a variable; "" where it is not set.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A folder of the XDG base directories: $variable, or `below_home` in $HOME where the variable is
// not set; "" without either.
inline std::string base_folder(const char* variable, const char* below_home) {
  std::string folder = environment(variable);
  if (!folder.empty()) return folder;
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/" + below_home;
}

}  // namespace tilewright
