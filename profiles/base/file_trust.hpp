// Decides by owner, group and mode whether other users may have written a file.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

namespace tilewright {

// The users whose files are used.
struct TrustedUsers {
  uid_t user = 0;     // the user of this process
  bool root = false;  // also root
  // Also the owner of the library, for the files that were installed with it. Their group may write
  // to them, because it is the same with the library.
  std::optional<uid_t> library = {};
};

// True if the group is the user's private group, which Debian and others create with the user: it
// has the user's name, is the user's primary group, and has no other member.
bool is_private_group(uid_t user, gid_t group);

// Why a file is not used.
enum class Distrust {
  kNone,        // it is used
  kOtherOwner,  // it belongs to another user
  kWritable,    // other users can change it, or create and remove files in the folder
};
// Returns "belongs to another user", "can be written by other users" or "".
std::string to_text(Distrust why);

Distrust why_not_trusted(const struct stat& status, const TrustedUsers& users,
                         bool (*is_private)(uid_t, gid_t) = is_private_group);

// The same for a path. Symbolic links are followed. A file that does not exist is not distrusted.
Distrust why_not_trusted(const std::string& path, const TrustedUsers& users);

// The files of the user of this process, and no others.
TrustedUsers only_this_user();

}  // namespace tilewright
