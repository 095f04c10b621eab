// Finds the profile of the option --profile.
#pragma once

#include <string>

#include "runtime/device/profile_source.hpp"

namespace tilewright {

// The argument of --profile: a file, "builtin", or "" for the profile that applications use.
inline ProfileSource choose_profile(const std::string& argument) {
  if (argument.empty()) return ProfileSource::automatic();
  return argument == "builtin" ? ProfileSource::builtin() : ProfileSource::file(argument);
}

}  // namespace tilewright
