#include "profiles/base/file_trust.hpp"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

namespace tilewright {
namespace {

constexpr std::size_t kMaxEntryBytes = 1 << 20;

// Calls getpwuid_r() or getgrgid_r() with a buffer that is large enough. Returns true if there is
// an entry, whose texts are then in the buffer.
template <typename Entry, typename Id>
bool find_entry(int (*look_up)(Id, Entry*, char*, std::size_t, Entry**), Id id, Entry& entry,
                std::vector<char>& buffer) {
  Entry* found = nullptr;
  buffer.resize(1024);
  while (look_up(id, &entry, buffer.data(), buffer.size(), &found) == ERANGE &&
         buffer.size() < kMaxEntryBytes) {
    buffer.resize(2 * buffer.size());
  }
  return found != nullptr;
}

}  // namespace

bool is_private_group(uid_t user, gid_t group) {
  passwd user_entry{};
  ::group group_entry{};
  std::vector<char> user_texts;
  std::vector<char> group_texts;
  if (!find_entry(::getpwuid_r, user, user_entry, user_texts) ||
      !find_entry(::getgrgid_r, group, group_entry, group_texts)) {
    return false;
  }
  const std::string_view name = user_entry.pw_name;
  if (user_entry.pw_gid != group || name != group_entry.gr_name) return false;
  for (char** member = group_entry.gr_mem; *member != nullptr; ++member) {
    if (name != *member) return false;
  }
  return true;
}

std::string to_text(Distrust why) {
  constexpr const char* kTexts[] = {"", "belongs to another user", "can be written by other users"};
  return kTexts[static_cast<std::size_t>(why)];
}

Distrust why_not_trusted(const struct stat& status, const TrustedUsers& users,
                         bool (*is_private)(uid_t, gid_t)) {
  const bool is_librarys = users.library && status.st_uid == *users.library;
  const bool is_trusted =
      is_librarys || status.st_uid == users.user || (users.root && status.st_uid == 0);
  if (!is_trusted) return Distrust::kOtherOwner;
  if ((status.st_mode & S_IWOTH) != 0) return Distrust::kWritable;
  if ((status.st_mode & S_IWGRP) == 0 || is_librarys) return Distrust::kNone;
  return is_private(status.st_uid, status.st_gid) ? Distrust::kNone : Distrust::kWritable;
}

Distrust why_not_trusted(const std::string& path, const TrustedUsers& users) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? why_not_trusted(status, users) : Distrust::kNone;
}

TrustedUsers only_this_user() {
  return {::geteuid()};
}

}  // namespace tilewright
