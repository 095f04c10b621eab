// Creates teams through the C interface, for tests and measurements.
#pragma once

#include <tilewright/team.h>

#include <vector>

namespace tilewright {

// A member of older headers may be smaller than the structure, so all bytes are 0 first.
inline tw_team_member device_member(tw_library* library, cl_command_queue queue) {
  tw_team_member member = {};
  member.library = library;
  member.queue = queue;
  return member;
}

inline tw_team_member cblas_member(const char* file) {
  tw_team_member member = {};
  member.cblas = file;
  return member;
}

inline tw_status create_team(const std::vector<tw_team_member>& members, tw_team** team,
                             const double* shares = nullptr, const char* profile_path = nullptr) {
  tw_team_desc desc = tw_make_team_desc(members.data(), members.size());
  desc.shares = shares;
  desc.profile_path = profile_path;
  return tw_team_create(&desc, team);
}

// Options for tests: kernels that need no tuning, and no cache on disk.
inline tw_options untuned_options() {
  tw_options options = tw_make_options();
  options.built_in_profile = 1;
  options.cache_folder = "";
  return options;
}

}  // namespace tilewright
