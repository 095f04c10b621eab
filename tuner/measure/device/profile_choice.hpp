// Which profile does the user mean?
#pragma once

#include <string>

#include <tilewright/library.hpp>

namespace tilewright {

// What follows --profile: a file, "builtin", or nothing: as an application finds it.
inline ProfileSource choose_profile(const std::string& argument) {
  if (argument.empty()) return ProfileSource::automatic();
  return argument == "builtin" ? ProfileSource::builtin() : ProfileSource::file(argument);
}

}  // namespace tilewright
