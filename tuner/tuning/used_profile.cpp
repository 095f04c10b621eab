#include "tuner/tuning/used_profile.hpp"

#include "runtime/device/profile_search.hpp"
#include "tuner/tuning/same_file.hpp"

namespace tilewright {

std::string used_profile(const DeviceIdentity& device, const std::string& output) {
  try {
    const FoundProfile found =
        find_profile(ProfileSource::automatic(), default_search_path(), device);
    // A profile of a relative is found, but cannot be opened by its path.
    const auto path = [&](const FoundProfile& profile) {
      return hard_mismatch(profile.profile, device) ? "" : profile.path;
    };
    if (found.path.empty() || !is_same_file(found.path, output)) return path(found);
    return found.fallback.empty() ? "" : path(found.fallback.front());
  } catch (const Error&) {
    return "";
  }
}

}  // namespace tilewright
