#include "profiles/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "profiles/quoted.hpp"

namespace tilewright {
namespace {

// Temporary files: a prefix, process and serial number, a suffix.
constexpr std::string_view kPrefix = ".tilewright-";
constexpr std::string_view kSuffix = ".tmp";

[[noreturn]] void fail(const std::string& path, const char* what) {
  const int code = errno;
  throw std::system_error(code, std::generic_category(),
                          fmt::format("cannot write {}: {}", in_quotes(path), what));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A new, empty file that is removed again unless it is renamed.
//
// Not mkostemp(): that creates with mode 0600, and the umask, which says what the mode should be,
// can only be read by changing it for the whole process for a moment.
class TemporaryFile {
 public:
  TemporaryFile(std::string folder, std::string target)
      : folder_(std::move(folder)), target_(std::move(target)) {
    static std::atomic<unsigned> serial{0};
    do {
      path_ =
          fmt::format("{}/{}{}-{}{}", folder_, kPrefix, ::getpid(), serial.fetch_add(1), kSuffix);
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && (errno == EEXIST || errno == EINTR));
    if (descriptor_ < 0) fail(target_, "no temporary file in its folder");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  // A file that is replaced keeps its mode; a new one gets 0666 less the umask from open().
  void take_mode_of_target() {
    struct stat status {};
    if (::stat(target_.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    if (::fchmod(descriptor_, status.st_mode & 0777) != 0) fail(target_, "setting the mode failed");
  }

  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(target_, "writing failed");
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void become_target() {
    if (::fsync(descriptor_) != 0) fail(target_, "fsync failed");
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0) fail(target_, "closing failed");
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(target_, "renaming failed");
    path_.clear();
  }

 private:
  std::string folder_;
  std::string target_;
  std::string path_;
  int descriptor_ = -1;
};

// Makes the rename itself last. Some file systems (FUSE, network) cannot do this and answer EINVAL.
void sync_folder(const std::string& folder, const std::string& target) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail(target, "its folder cannot be opened");
  const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL;
  const int code = errno;
  ::close(descriptor);
  errno = code;
  if (!synced) fail(target, "fsync of its folder failed");
}

}  // namespace

void write_file_atomically(const std::string& path, std::string_view content) {
  const std::string folder = folder_of(path);
  TemporaryFile file(folder, path);
  file.take_mode_of_target();
  file.write(content);
  file.become_target();
  sync_folder(folder, path);
}

bool is_temporary_file_name(std::string_view name) {
  return name.starts_with(kPrefix) && name.ends_with(kSuffix);
}

}  // namespace tilewright
