#include "tuner/bench/profile_choice.hpp"

namespace tilewright {

ProfileSource choose_profile(const std::string& argument) {
  if (argument.empty()) return ProfileSource::automatic();
  return argument == "builtin" ? ProfileSource::builtin() : ProfileSource::file(argument);
}

}  // namespace tilewright
