// Reads regular files, all of them or a part. Everything else is refused: reading a pipe could wait
// for ever, and a device has no end.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace tilewright {

struct FileContent {
  std::string bytes;
  std::string failure;        // "cannot be opened: No such file or directory"; empty: success
  bool can_be_opened = true;  // false: open() failed
};

struct FileRange {
  std::uint64_t offset = 0;
  std::uint64_t length = std::numeric_limits<std::uint64_t>::max();
};

// The bytes in that range, as many as the file has. Also reads files in /proc and /sys, which
// report no size. Uses no more memory than the file has bytes.
FileContent read_file(const std::string& path, FileRange range = {});

// Refuses files that another user can have created or changed: links, files of other users, and
// files that the group or others may write.
FileContent read_private_file(const std::string& path, FileRange range = {});

// Why other users can create, change or remove a folder's files: "belongs to another user", "may be
// written by others". Empty: they cannot, or there is no folder.
std::string why_not_private(const std::string& folder);

// The same for a file or folder that may also belong to root, as system folders do. Links are
// followed.
std::string why_not_trusted(const std::string& path);

}  // namespace tilewright
