// Lists the profiles on this machine, with their devices and how they were made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/device/profile_search.hpp"

namespace tilewright {

struct ListedProfile {
  std::string file;    // "": built into the program
  std::string kind;    // "generic", "tuned", "predicted"; "damaged"
  std::string device;  // name and compute units, or the devices that it is for
  std::string made;    // version, date and driver; for a damaged profile the error
  // Set if applications do not use the file, because other users can change it.
  std::optional<UntrustedProfile> untrusted = {};
};

// Returns the built-in profile, then those in the folders of the path, in the order in which the
// library searches them.
std::vector<ListedProfile> list_profiles(const SearchPath& path);

}  // namespace tilewright
