// Which profiles are on this machine, for which devices, and how was each made?
#pragma once

#include <string>
#include <vector>

namespace tilewright {

struct ListedProfile {
  std::string file;    // "": built into the program
  std::string kind;    // "generic", "tuned", "predicted"; "damaged"
  std::string device;  // name and compute units, or what it is for
  std::string made;    // by what, when and on which driver; of a damaged one what is wrong
};

// The built-in one, then those of the folders, in the order in which a device's profile is sought.
std::vector<ListedProfile> list_profiles(const std::vector<std::string>& folders);

}  // namespace tilewright
