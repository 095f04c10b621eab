// Finds the folders of shipped profiles relative to the library, so that any installation prefix
// works.
#pragma once

#include <string>
#include <vector>

#include "runtime/device/profile_trust.hpp"

namespace tilewright {

// Absolute path of the file that contains this code: the shared library, or the program that it is
// linked into statically. "" if the system does not report it.
std::string own_file();

// `share/tilewright/profiles` near `file`: in its folder, or in the closest parent folder that has
// one. This finds it from lib/, lib/x86_64-linux-gnu/, bin/ and the folders of a build tree. "" if
// there is none. `file` is an absolute path or "".
std::string profiles_near(const std::string& file);

// The profiles near the library, and its owner.
OwnProfiles own_profiles(const std::string& library_file);

// The folders of shipped profiles in search order: first the one that belongs to this library, then
// `installed`, the one below the configured prefix. Each is followed by its subfolder of predicted
// profiles.
std::vector<std::string> shipped_profile_folders(const std::string& library_file,
                                                 const std::string& installed);

}  // namespace tilewright
