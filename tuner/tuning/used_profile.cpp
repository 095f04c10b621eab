#include "tuner/tuning/used_profile.hpp"

#include "runtime/device/profile_search.hpp"
#include "tuner/tuning/same_file.hpp"

namespace tilewright {

std::string used_profile(const DeviceIdentity& device, const std::string& output) {
  try {
    const FoundProfile found =
        find_profile(ProfileSource::automatic(), default_search_path(), device);
    if (found.path.empty() || !is_same_file(found.path, output)) return found.path;
    return found.fallback.empty() ? "" : found.fallback.front().path;
  } catch (const Error&) {
    return "";
  }
}

}  // namespace tilewright
