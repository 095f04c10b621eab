// What does a file hold, and why can it not be read?
//
// All files are read here. Nothing but regular files is: a pipe could keep the reader waiting for
// ever, and a device has no end.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace tilewright {

// The bytes of a file, or the reason why there are none.
struct FileContent {
  std::string bytes;
  std::string failure;        // "cannot be opened: No such file or directory"; empty: it was read
  bool can_be_opened = true;  // false: what there is, if anything, could not be looked at
};

// Which bytes of a file: from `offset`, `length` at most.
struct FileRange {
  std::uint64_t offset = 0;
  std::uint64_t length = std::numeric_limits<std::uint64_t>::max();
};

// The bytes of a regular file in that range, as many as there are; also of the kernel's files in
// /proc and /sys, which do not tell their size. No more memory is taken than the file has bytes.
FileContent read_file(const std::string& path, FileRange range = {});

// The same for a file that no other user can have made or changed: it is no link, belongs to the
// user of this process, and neither its group nor others may write it.
FileContent read_private_file(const std::string& path, FileRange range = {});

// Why other users can have put files into a folder, or taken away its own: "belongs to another
// user", "may be written by others"; "": they cannot, or it is not there.
std::string why_not_private(const std::string& folder);

// The same for a file or a folder that root may own, too, as system folders are: why somebody other
// than this user and root can have written it. Links are followed.
std::string why_not_trusted(const std::string& path);

}  // namespace tilewright
