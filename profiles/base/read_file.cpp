#include "profiles/base/read_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <new>
#include <string_view>
#include <system_error>

#include "profiles/base/descriptor.hpp"
#include "profiles/base/file_trust.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kChunkBytes = 1 << 14;
constexpr std::uint64_t kMaxOffset = std::numeric_limits<off_t>::max();

FileContent system_failure(const char* what, bool can_be_opened) {
  return {{}, fmt::format("{}: {}", what, std::generic_category().message(errno)), can_be_opened};
}

// `size` is the size that the file reports. Returns false if reading failed; errno tells why.
bool read_range(int descriptor, FileRange range, std::uint64_t size, std::string& bytes) {
  const std::uint64_t expected = std::min(range.length, size - std::min(size, range.offset));
  if (expected > bytes.max_size()) throw std::bad_alloc();
  bytes.reserve(static_cast<std::size_t>(expected));
  std::array<char, kChunkBytes> chunk;
  while (bytes.size() < range.length && range.offset <= kMaxOffset - bytes.size()) {
    const std::uint64_t wanted = std::min<std::uint64_t>(kChunkBytes, range.length - bytes.size());
    const ssize_t count = ::pread(descriptor, chunk.data(), static_cast<std::size_t>(wanted),
                                  static_cast<off_t>(range.offset + bytes.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0;
    bytes.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return true;
}

// Git LFS leaves such a file in place of the real one until that is fetched.
bool is_lfs_pointer(int descriptor, const struct stat& status) {
  constexpr off_t kMaxPointerBytes = 1024;
  constexpr std::string_view kFirstLine = "version https://git-lfs.github.com/spec/";
  std::array<char, kFirstLine.size()> start;
  return status.st_size <= kMaxPointerBytes &&
         ::pread(descriptor, start.data(), start.size(), 0) == std::ssize(start) &&
         std::string_view(start.data(), start.size()) == kFirstLine;
}

FileContent read(const std::string& path, FileRange range, bool is_private) {
  struct stat status {};
  // Checked before opening as well, because opening some devices has side effects.
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return {{}, "is not a regular file"};
  }
  // O_NONBLOCK: opening a pipe without a writer must not block.
  const Descriptor file(::open(
      path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (is_private ? O_NOFOLLOW : 0)));
  if (file.value() < 0) return system_failure("cannot be opened", false);
  if (::fstat(file.value(), &status) != 0) return system_failure("cannot be read", true);
  if (!S_ISREG(status.st_mode)) return {{}, "is not a regular file"};
  if (is_private) {
    const Distrust why = why_not_trusted(status, only_this_user());
    if (why != Distrust::kNone) return {{}, to_text(why)};
  }
  if (is_lfs_pointer(file.value(), status)) {
    return {{}, "is a Git LFS pointer, not the file itself; fetch that with git lfs pull"};
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

}  // namespace tilewright
