#include "tuner/tuning/used_profile.hpp"

#include "runtime/device/profile_search.hpp"
#include "tuner/tuning/same_file.hpp"

namespace tilewright {

std::string used_profile(const DeviceIdentity& device, const std::string& output) {
  SearchPath path = default_search_path();
  if (!path.named_file.empty() && is_same_file(path.named_file, output)) path.named_file.clear();
  path.excluded = output;
  try {
    const FoundProfile found = find_profile(ProfileSource::automatic(), path, device);
    // A profile of a relative is found, but cannot be opened by its path.
    return hard_mismatch(found.profile, device) ? "" : found.path;
  } catch (const Error&) {
    return "";
  }
}

}  // namespace tilewright
