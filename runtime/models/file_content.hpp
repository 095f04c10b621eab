// What does a file hold, and why can it not be read?
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace tilewright {

// The bytes of a file, or the reason why there are none.
struct FileContent {
  std::string bytes;
  std::string failure;  // "cannot be opened: No such file or directory"; empty: it was read
};

// Which bytes of a file: from `offset`, `length` at most.
struct FileRange {
  std::uint64_t offset = 0;
  std::uint64_t length = std::numeric_limits<std::uint64_t>::max();
};

// The bytes of a regular file in that range, as many as there are. No more memory is taken than the
// file has bytes.
FileContent read_file(const std::string& path, FileRange range = {});

// The path of a file that another one names, relative to its own folder; nullopt unless it lies in
// that folder or below it, by its name. So a model of unknown origin cannot have files read, and
// quoted in errors, from elsewhere.
std::optional<std::string> path_of_named(const std::string& naming, const std::string& named);

// The extension in small letters, with its dot; empty if there is none.
std::string extension_of(const std::string& path);

}  // namespace tilewright
