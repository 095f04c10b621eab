// Reads the environment of this process. In the library, only this file and runtime/opencl (which
// this module depends on) do so.
#pragma once

#include <stdlib.h>

#include <string>

namespace tilewright {

// The value of a variable; "" if it is not set. Always "" in a set-user-ID or set-group-ID program,
// whose environment belongs to a user with fewer rights.
inline std::string environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr ? "" : value;
}

// A folder of the XDG base directories: $variable, or $HOME/below_home if the variable is not set
// or, as the specification requires, contains a relative path. "" if neither exists.
inline std::string base_folder(const char* variable, const char* below_home) {
  std::string folder = environment(variable);
  if (folder.starts_with('/')) return folder;
  const std::string home = environment("HOME");
  return home.starts_with('/') ? home + "/" + below_home : "";
}

}  // namespace tilewright
