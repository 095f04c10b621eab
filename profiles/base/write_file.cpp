#include "profiles/base/write_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "profiles/base/descriptor.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".tilewright-";
constexpr std::string_view kSuffix = ".tmp";
constexpr int kMaxLinks = 40;  // the same limit as in Linux

[[noreturn]] void fail(const std::string& path, const char* what, int code = errno) {
  throw std::system_error(code, std::generic_category(),
                          fmt::format("cannot write {}: {}", in_quotes(path), what));
}

// Follows one link at a time, because realpath() fails if the last link names a file that does not
// exist yet.
std::string follow_links(const std::string& path) {
  fs::path file = path;
  std::error_code error;
  for (int links = 0; links < kMaxLinks; ++links) {
    const fs::path target = fs::read_symlink(file, error);
    if (error) return file.string();
    const fs::path folder = fs::absolute(file).parent_path();
    if (fs::canonical(folder, error).string().starts_with("/proc/")) {
      fail(path, "it refers to an open file; name the file itself", ENOTSUP);
    }
    file = folder / target;  // an absolute target replaces the folder
  }
  fail(path, "its symbolic links form a loop", ELOOP);
}

void write_all(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "writing failed");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Creates a file that no other process or thread uses. mkostemp() is unsuitable: its files have
// mode 0600, and the umask can only be read by changing it for the whole process.
int create_temporary(const std::string& folder, mode_t mode, std::string& path) {
  static std::atomic<unsigned> serial{0};
  while (true) {
    path = fmt::format("{}/{}{}-{}{}", folder, kPrefix, ::getpid(), serial.fetch_add(1), kSuffix);
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || (errno != EEXIST && errno != EINTR)) return descriptor;
  }
}

// `mode` is the mode of a new file, before the umask. With `keep_mode`, an existing file keeps its
// mode.
void replace_file(const std::string& path, std::string_view content, mode_t mode, bool keep_mode) {
  const std::string folder = parent_folder(path);
  std::string temporary;
  const Descriptor file(create_temporary(folder, mode, temporary));
  if (file.value() < 0) {
    fail(path, errno == ENOENT ? "its folder does not exist"
                               : "its folder does not allow a temporary file");
  }
  try {
    struct stat old {};
    const bool is_old = keep_mode && ::stat(path.c_str(), &old) == 0;
    if (is_old && ::fchmod(file.value(), old.st_mode & 0777) != 0) fail(path, "chmod failed");
    write_all(file.value(), content, path);
    if (::fsync(file.value()) != 0) fail(path, "fsync failed");
    if (::rename(temporary.c_str(), path.c_str()) != 0) fail(path, "renaming failed");
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (!sync_folder(folder)) fail(path, "fsync of its folder failed");
}

void write_into_device(const std::string& path, std::string_view content) {
  // O_NONBLOCK: opening a pipe without a reader fails instead of blocking.
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.value() < 0) fail(path, errno == ENXIO ? "no process reads from it" : "opening failed");
  if (::fcntl(file.value(), F_SETFL, 0) != 0) fail(path, "fcntl failed");
  write_all(file.value(), content, path);
}

}  // namespace

void write_file_atomically(const std::string& path, std::string_view content) {
  const WriteTarget target = write_target(path);
  if (!target.replaced) return write_into_device(target.path, content);
  replace_file(target.path, content, 0666, true);
}

void write_private_file_atomically(const std::string& path, std::string_view content) {
  replace_file(path, content, 0600, false);
}

bool is_temporary_file_name(std::string_view name) {
  return name.starts_with(kPrefix) && name.ends_with(kSuffix);
}

WriteTarget write_target(const std::string& path) {
  struct stat status {};
  // Also works if the path is a link that the kernel refuses to follow (in folders such as /tmp it
  // does not follow links of other users).
  if (::stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) fail(path, "stat failed");
    return {follow_links(path), true};
  }
  if (S_ISREG(status.st_mode)) return {follow_links(path), true};
  if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) return {path, false};
  if (S_ISDIR(status.st_mode)) fail(path, "it is a folder", EISDIR);
  fail(path, S_ISBLK(status.st_mode) ? "it is a block device" : "it is a socket", ENOTSUP);
}

// Some file systems (FUSE, network) cannot sync a folder and return EINVAL.
bool sync_folder(const std::string& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return file.value() >= 0 && (::fsync(file.value()) == 0 || errno == EINVAL);
}

std::string parent_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace tilewright
