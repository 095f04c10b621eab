// Finds the folders of shipped profiles from where the library lies, so that any prefix works.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

// Absolute path of the file that holds this code: the shared library, or the program that it is
// linked into statically. "" if the system does not tell.
std::string own_file();

// `share/tilewright/profiles` next to `file`: in its folder or in the nearest folder above that has
// one. So it is found from lib/, lib/x86_64-linux-gnu/, bin/ and the folders of a build tree. ""
// if there is none. `file` is an absolute path or "".
std::string profiles_near(const std::string& file);

// The folders of shipped profiles in the order in which they are searched: the one that belongs to
// this library, then `installed`, the one below the prefix that was configured. Each is followed by
// its folder of predicted profiles.
std::vector<std::string> shipped_profile_folders(const std::string& library_file,
                                                 const std::string& installed);

}  // namespace tilewright
