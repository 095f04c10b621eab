#include "profiles/regular_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <system_error>

#include "descriptor.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kChunkBytes = 1 << 14;
constexpr std::uint64_t kMostOffset = std::numeric_limits<off_t>::max();  // no file is longer

FileContent system_failure(const char* what, bool can_be_opened) {
  return {{}, fmt::format("{}: {}", what, std::generic_category().message(errno)), can_be_opened};
}

// First as much as the file says that it has, then, if it has all of that, what there is beyond.
// False: reading failed, errno says why.
bool read_range(int descriptor, FileRange range, std::uint64_t size, std::string& bytes) {
  const std::uint64_t told = std::min(range.length, size - std::min(size, range.offset));
  if (told > bytes.max_size()) throw std::bad_alloc();
  if (range.offset > kMostOffset) return true;
  bytes.resize(static_cast<std::size_t>(told));
  std::array<char, kChunkBytes> beyond;
  std::size_t held = 0;
  while (held < range.length) {
    const bool is_beyond = held == bytes.size();
    char* const to = is_beyond ? beyond.data() : bytes.data() + held;
    const std::uint64_t room = is_beyond ? beyond.size() : bytes.size() - held;
    const ssize_t count =
        ::pread(descriptor, to, static_cast<std::size_t>(std::min(room, range.length - held)),
                static_cast<off_t>(range.offset + held));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    if (is_beyond) bytes.append(to, static_cast<std::size_t>(count));
    held += static_cast<std::size_t>(count);
  }
  bytes.resize(held);
  return true;
}

enum class Owner { kUser, kUserOrRoot };

std::string why_not_private(const struct stat& status, Owner owner = Owner::kUser) {
  const bool is_roots = status.st_uid == 0 && owner == Owner::kUserOrRoot;
  if (status.st_uid != ::geteuid() && !is_roots) return "belongs to another user";
  return (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 ? "" : "may be written by others";
}

FileContent read(const std::string& path, FileRange range, bool is_private) {
  struct stat status {};
  // Before it is opened, too: that alone sets some devices going.
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return {{}, "is no regular file"};
  }
  // O_NONBLOCK: a pipe without a writer is refused rather than waited for.
  const Descriptor file(::open(
      path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (is_private ? O_NOFOLLOW : 0)));
  if (file.value() < 0) return system_failure("cannot be opened", false);
  if (::fstat(file.value(), &status) != 0) return system_failure("cannot be read", true);
  if (!S_ISREG(status.st_mode)) return {{}, "is no regular file"};
  if (is_private) {
    if (std::string why = why_not_private(status); !why.empty()) return {{}, std::move(why)};
  }
  FileContent content;
  if (!read_range(file.value(), range, static_cast<std::uint64_t>(status.st_size), content.bytes)) {
    return system_failure("cannot be read", true);
  }
  return content;
}

}  // namespace

FileContent read_file(const std::string& path, FileRange range) {
  return read(path, range, false);
}

FileContent read_private_file(const std::string& path, FileRange range) {
  return read(path, range, true);
}

std::string why_not_private(const std::string& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 ? why_not_private(status) : "";
}

std::string why_not_trusted(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? why_not_private(status, Owner::kUserOrRoot) : "";
}

}  // namespace tilewright
