// Installs profiles for the applications of this user, and removes them.
#pragma once

#include <string>

namespace tilewright {

// Copies a profile to the folder, so that applications find it and other users cannot change it.
// Returns the path of the copy. A profile of the same name and device is replaced. Throws
// ProfileError if the file is not a valid profile, and UsageError if it is not for a device, or if
// a profile of another device has its name.
std::string install_profile(const std::string& file, const std::string& folder);

// Removes a profile from the folder and returns its path. `name` is its path or the name of its
// file. Throws UsageError if the folder has no such file.
std::string remove_profile(const std::string& name, const std::string& folder);

}  // namespace tilewright
