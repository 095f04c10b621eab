#include "profiles/write_target.hpp"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "profiles/quoted.hpp"

namespace tilewright {
namespace {

constexpr int kMostLinks = 40;  // as many as Linux follows

// What /proc shows as a link to an open file is none: it names what no path may name any more.
bool lies_in_procfs(const std::string& folder) {
  struct statfs status {};
  return ::statfs(folder.c_str(), &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

// Follows the links one by one: realpath() cannot where the last one's file is yet to be made.
std::string path_behind_links(const std::string& path) {
  std::string file = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code no_link;
    const std::string named = std::filesystem::read_symlink(file, no_link).string();
    if (no_link) return file;
    const std::string folder = folder_of(file);
    if (lies_in_procfs(folder)) {
      fail_to_write(path, "it is a file that is open already; name the file itself", ENOTSUP);
    }
    file = named.starts_with('/') ? named : folder + "/" + named;
  }
  fail_to_write(path, "it is a link that leads nowhere", ELOOP);
}

}  // namespace

WriteTarget write_target(const std::string& path) {
  struct stat status {};
  // Also where the path is a link: the kernel may have reasons not to follow it (in a folder such
  // as /tmp, it follows no links of other users).
  if (::stat(path.c_str(), &status) != 0) {
    const bool is_new = errno == ENOENT || errno == ENOTDIR;
    if (!is_new) fail_to_write(path, "what it names cannot be told", errno);
    return {path_behind_links(path), true};
  }
  switch (status.st_mode & S_IFMT) {
    case S_IFREG:
      return {path_behind_links(path), true};
    case S_IFIFO:
    case S_IFCHR:
      return {path, false};
    case S_IFDIR:
      fail_to_write(path, "it is a folder", EISDIR);
    case S_IFBLK:
      fail_to_write(path, "it is a block device", ENOTSUP);
    default:
      fail_to_write(path, "it is a socket", ENOTSUP);
  }
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

void fail_to_write(const std::string& path, const char* what, int code) {
  throw std::system_error(code, std::generic_category(),
                          fmt::format("cannot write {}: {}", in_quotes(path), what));
}

}  // namespace tilewright
