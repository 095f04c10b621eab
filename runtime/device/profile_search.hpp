// Which profile serves this device?
#pragma once

#include <string>
#include <vector>

#include <tilewright/library.hpp>
#include "profiles/profile.hpp"

namespace tilewright {

// Where profiles are sought when none is named.
struct SearchPath {
  std::string named_file;            // $TILEWRIGHT_PROFILE; empty: none
  std::vector<std::string> folders;  // in order; a folder that does not exist is no error
};

// The search path of this process: its environment and the installed profiles.
SearchPath default_search_path();

struct FoundProfile {
  Profile profile;
  std::string path;    // of its file; "" of a text and of the built-in one
  std::string origin;  // which, and why: a sentence
  // Tuned under other software, never measured, or forced and of another device: each kernel is to
  // be checked before it serves.
  bool under_other_software = false;
};

// The profile that `source` means for the device. A profile that was named must be right: Error
// with TW_NO_PROFILE, TW_BAD_PROFILE or, unless it is forced, TW_WRONG_DEVICE. In folders a file
// that is damaged or of another device is passed over; damaged ones are named in the origin. Of
// those that fit, one whose driver and number of compute units match comes first, then one of as
// many compute units, then others that were measured, then those of relatives (the same hardware,
// for which another driver reports another vendor or version of OpenCL C), then predicted ones (of
// as many compute units before others); then the earlier folder, then the lesser name. A folder is
// not a reason to fail.
//
// Profiles hold code that the driver compiles and runs. load_found_profile() therefore decides
// which files in folders are used; a file that is named is used whatever its owner and mode.
FoundProfile find_profile(const ProfileSource& source, const SearchPath& path,
                          const DeviceIdentity& device);

// Loads a profile that was found in a folder. Throws ProfileError, also where somebody other than
// this user and root can have written the file or its folder.
Profile load_found_profile(const std::string& path);

// The profiles of a folder by their names alone (*.toml), in the order in which they are looked at.
std::vector<std::string> profile_files(const std::string& folder);

}  // namespace tilewright
