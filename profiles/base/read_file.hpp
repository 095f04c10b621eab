// Reads regular files, completely or in part. Other files are rejected: reading a pipe could block
// forever, and a device has no end.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace tilewright {

// Result of reading a file.
struct FileContent {
  std::string bytes;
  std::string failure;        // "cannot be opened: No such file or directory"; empty: success
  bool can_be_opened = true;  // false: open() failed
};

// A range of bytes in a file.
struct FileRange {
  std::uint64_t offset = 0;
  std::uint64_t length = std::numeric_limits<std::uint64_t>::max();
};

// Reads the bytes in the range, as many as the file has. Also reads files in /proc and /sys, which
// report no size. Allocates no more memory than the file has bytes.
FileContent read_file(const std::string& path, FileRange range = {});

// Rejects files that another user may have created or changed (file_trust.hpp), and symbolic links.
FileContent read_private_file(const std::string& path, FileRange range = {});

}  // namespace tilewright
