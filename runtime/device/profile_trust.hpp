// Decides which of the profiles that are found in folders are used.
//
// Profiles contain code that the driver compiles and runs. A profile in a folder is used if nobody
// but this user and root can have written the file or its folder. The profiles that were installed
// with the library are also used if they belong to the library's owner, whose code runs anyway.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/base/file_trust.hpp"

namespace tilewright {

// The profiles that were installed with the library.
struct OwnProfiles {
  std::string folder;               // with its subfolders; "": none
  std::optional<uid_t> owner = {};  // of the library's file
};

// A profile that is not used because of its owner or mode, or those of its folder.
struct UntrustedProfile {
  std::string file;
  Distrust why = Distrust::kNone;
  std::vector<std::string> causes;  // the folder, the file or both
};

// Returns nullopt if the profile may be used.
std::optional<UntrustedProfile> why_not_used(const std::string& file, const OwnProfiles& own);

// What to report about profiles that are not used, and the command that changes it.
struct TrustReport {
  std::string seen;    // "/x/profiles can be written by other users"
  std::string remedy;  // "chmod go-w '/x/profiles' '/x/profiles/a.toml'"
};
std::string to_text(const TrustReport& report);

// Returns one report for each folder and reason. A profile may be listed several times.
std::vector<TrustReport> trust_reports(const std::vector<UntrustedProfile>& profiles);

}  // namespace tilewright
