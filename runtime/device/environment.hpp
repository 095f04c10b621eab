// Reads the environment of this process. The library does so here, and in runtime/opencl, which
// lies below this module.
#pragma once

#include <stdlib.h>

#include <string>

namespace tilewright {

// The value of a variable; "" where it is not set, and in a set-user-ID or set-group-ID program,
// whose environment belongs to a user with fewer rights.
inline std::string environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr ? "" : value;
}

// A folder of the XDG base directories: $variable, or `below_home` in $HOME where the variable is
// not set or, as the specification asks, is a relative path; "" without either.
inline std::string base_folder(const char* variable, const char* below_home) {
  std::string folder = environment(variable);
  if (folder.starts_with('/')) return folder;
  const std::string home = environment("HOME");
  return home.starts_with('/') ? home + "/" + below_home : "";
}

}  // namespace tilewright
