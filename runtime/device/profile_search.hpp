// Finds the profile for a device.
#pragma once

#include <string>
#include <vector>

#include "profiles/built_in.hpp"
#include "profiles/profile.hpp"
#include "runtime/call/error.hpp"
#include "runtime/device/profile_source.hpp"
#include "runtime/device/profile_trust.hpp"

namespace tilewright {

// Where profiles are searched if none is named.
struct SearchPath {
  std::string named_file;            // $TILEWRIGHT_PROFILE, or "builtin"; empty: not set
  std::vector<std::string> folders;  // in order; missing folders are ignored
  std::string excluded = {};         // a file that is ignored in the folders; empty: none
  OwnProfiles own = {};              // those of the folders that were installed with the library
};

// The search path of this process, from its environment and the installed profiles.
SearchPath default_search_path();

// A profile, and how it was found.
struct FoundProfile {
  Profile profile;
  std::string path = {};     // of its file; "" for profiles from text and the built-in one
  std::string origin = {};   // one line: which profile, and why
  std::string remarks = {};  // details, each after "; ": differences, files that are not used
  // The profile was tuned with other software, was never measured, or is for another device and was
  // forced. Every kernel must be verified before it is used.
  bool under_other_software = false;
  // The next best profile of the device that was found in a folder, for products that the first one
  // does not cover. At most one; none if either of them was never tuned.
  std::vector<FoundProfile> fallback = {};
  // Profiles of the device that other users can change. They might be used instead of this one if
  // they were trusted.
  std::vector<UntrustedProfile> untrusted = {};
};

// Returns the profile that `source` selects for the device. A profile that is named must be valid;
// otherwise throws Error with TW_NO_PROFILE, TW_BAD_PROFILE or, unless it is forced,
// TW_WRONG_DEVICE. In folders, damaged files and files for other devices or processors are skipped;
// `remarks` names the damaged ones. Missing or unreadable folders are not errors.
//
// If several profiles are usable, the order of preference is: same driver and number of compute
// units; same number of compute units; other profiles that were measured; profiles of the same
// hardware whose driver reports another vendor or version of OpenCL C; predicted profiles (the same
// number of compute units first). Then the earlier folder, then the alphabetically first name wins.
// The second of them is the fallback.
//
// Files in folders are used only if they are trusted (profile_trust.hpp). A file that is named is
// used regardless of its owner and mode.
FoundProfile find_profile(const ProfileSource& source, const SearchPath& path,
                          const DeviceIdentity& device, const GenericProfile& generic = {});

// `origin`, and which profiles are not trusted.
std::string origin_text(const FoundProfile& found);

// The folder for this user's own profiles, the first one of the search path; "" if the environment
// defines none.
std::string user_profile_folder();

// Names of all profiles in a folder (*.toml), in the order in which they are examined.
std::vector<std::string> profile_files(const std::string& folder);

}  // namespace tilewright
