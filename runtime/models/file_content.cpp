#include "file_content.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace tilewright {
namespace {

std::string system_reason(const char* what) {
  return fmt::format("{}: {}", what, std::generic_category().message(errno));
}

// A descriptor that is closed at the end.
class Descriptor {
 public:
  // O_NONBLOCK: a pipe without a writer is refused rather than waited for.
  explicit Descriptor(const std::string& path)
      : value_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int value() const { return value_; }

 private:
  int value_;
};

// Reads until `bytes` are there or the file ends. False: reading failed, errno says why.
bool read_bytes(int descriptor, std::uint64_t offset, std::string& bytes) {
  std::size_t held = 0;
  while (held < bytes.size()) {
    const ssize_t count = ::pread(descriptor, bytes.data() + held, bytes.size() - held,
                                  static_cast<off_t>(offset + held));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    held += static_cast<std::size_t>(count);
  }
  bytes.resize(held);
  return true;
}

}  // namespace

FileContent read_file(const std::string& path, FileRange range) {
  const Descriptor file(path);
  if (file.value() < 0) return {{}, system_reason("cannot be opened")};
  struct stat status {};
  if (::fstat(file.value(), &status) != 0) return {{}, system_reason("cannot be read")};
  if (!S_ISREG(status.st_mode)) return {{}, "is no regular file"};
  const auto size = static_cast<std::uint64_t>(status.st_size);
  FileContent content;
  if (range.offset >= size) return content;
  content.bytes.resize(std::min(size - range.offset, range.length));
  if (!read_bytes(file.value(), range.offset, content.bytes)) {
    return {{}, system_reason("cannot be read")};
  }
  return content;
}

std::optional<std::string> path_of_named(const std::string& naming, const std::string& named) {
  namespace fs = std::filesystem;
  const fs::path inside = fs::path(named).lexically_normal();
  if (inside.empty() || inside.has_root_path() || *inside.begin() == "..") return std::nullopt;
  return (fs::path(naming).parent_path() / inside).string();
}

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

}  // namespace tilewright
