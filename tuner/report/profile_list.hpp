// Lists the profiles on this machine, with their devices and how they were made.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

struct ListedProfile {
  std::string file;    // "": built into the program
  std::string kind;    // "generic", "tuned", "predicted"; "damaged"
  std::string device;  // name and compute units, or the devices that it is for
  std::string made;    // version, date and driver; for a damaged profile the error
};

// Returns the built-in profile, then those in the folders, in the order in which the library
// searches them.
std::vector<ListedProfile> list_profiles(const std::vector<std::string>& folders);

}  // namespace tilewright
