#include "profiles/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "descriptor.hpp"
#include "profiles/write_target.hpp"

namespace tilewright {
namespace {

// Temporary files: a prefix, process and serial number, a suffix.
constexpr std::string_view kPrefix = ".tilewright-";
constexpr std::string_view kSuffix = ".tmp";

[[noreturn]] void fail(const std::string& path, const char* what) {
  fail_to_write(path, what, errno);
}

void write_all(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "writing failed");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A new, empty file that is removed again unless it is renamed.
//
// Not mkostemp(): that creates with mode 0600, and the umask, which says what the mode should be,
// can only be read by changing it for the whole process for a moment.
class TemporaryFile {
 public:
  TemporaryFile(std::string folder, std::string target, mode_t mode)
      : folder_(std::move(folder)), target_(std::move(target)) {
    static std::atomic<unsigned> serial{0};
    do {
      path_ =
          fmt::format("{}/{}{}-{}{}", folder_, kPrefix, ::getpid(), serial.fetch_add(1), kSuffix);
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
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

  void write(std::string_view content) { write_all(descriptor_, content, target_); }

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

void replace_file(const std::string& path, std::string_view content, bool is_private) {
  const std::string folder = folder_of(path);
  TemporaryFile file(folder, path, is_private ? 0600 : 0666);
  if (!is_private) file.take_mode_of_target();
  file.write(content);
  file.become_target();
  sync_folder(folder, path);
}

// Into a pipe or a character device, as it is.
void write_into(const std::string& path, std::string_view content) {
  // O_NONBLOCK: a pipe that nobody reads is refused rather than waited for.
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.value() < 0) {
    fail(path, errno == ENXIO ? "no process reads from it" : "it cannot be opened");
  }
  struct stat status {};
  if (::fstat(file.value(), &status) != 0) fail(path, "what it names cannot be told");
  if (!S_ISFIFO(status.st_mode) && !S_ISCHR(status.st_mode)) {
    fail_to_write(path, "it has become another file meanwhile", EAGAIN);
  }
  if (::fcntl(file.value(), F_SETFL, 0) != 0)
    fail(path, "it cannot be made to wait for its reader");
  write_all(file.value(), content, path);
}

}  // namespace

void write_file_atomically(const std::string& path, std::string_view content) {
  const WriteTarget target = write_target(path);
  if (target.replaced) {
    replace_file(target.path, content, false);
  } else {
    write_into(target.path, content);
  }
}

void write_private_file_atomically(const std::string& path, std::string_view content) {
  replace_file(path, content, true);
}

bool is_temporary_file_name(std::string_view name) {
  return name.starts_with(kPrefix) && name.ends_with(kSuffix);
}

}  // namespace tilewright
