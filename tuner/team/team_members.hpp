// Opens the members of a team that the user names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/team/team_member.hpp"

namespace tilewright {

// One name of --team.
struct TeamMemberName {
  std::string text;  // as typed; for a CBLAS the name of its library
  int device = -1;   // index of a device; -1: a CBLAS
  int units = 0;     // compute units of a sub-device; 0: the whole device
};

// Parses "0,1", "0/2,0/2" (two sub-devices of two compute units each) or "0,libopenblas.so.0".
// Throws UsageError, also for a device that is named whole and once more.
std::vector<TeamMemberName> parse_team(const std::string& argument);

// Opens the members, each with the profile that applications use. Sub-devices of a device do not
// overlap. Throws UsageError for a device that does not exist or cannot be divided, and Error.
std::vector<std::shared_ptr<const TeamMember>> open_team(const std::vector<TeamMemberName>& names);

}  // namespace tilewright
