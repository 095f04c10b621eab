#include "profiles/base/write_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "catch.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t num_entries(const TemporaryFolder& folder) {
  return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
}

std::string read_content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

unsigned file_mode(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777u;
}

// The error of write_file_atomically(); empty if there is none.
std::string refusal(const std::string& path, std::string_view content) {
  try {
    write_file_atomically(path, content);
  } catch (const std::system_error& error) {
    CHECK(error.code().category() == std::generic_category());
    return error.what();
  }
  return {};
}

TEST_CASE("a file is created and replaced as a whole") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.toml");
  write_file_atomically(path, "old");
  CHECK(read_content(path) == "old");
  const std::string long_content(3 << 20, 'x');
  write_file_atomically(path, long_content);
  CHECK(read_content(path) == long_content);
  write_file_atomically(path, std::string_view("\0\n", 2));
  CHECK(read_content(path) == std::string("\0\n", 2));
  write_file_atomically(path, "");
  CHECK(read_content(path).empty());
  CHECK(num_entries(folder) == 1);
}

TEST_CASE("a path without a slash is in the current folder") {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const std::string message = refusal("plain.toml", "text");
  fs::current_path(before);
  CHECK(message.empty());
  CHECK(read_content(folder.file("plain.toml")) == "text");
}

TEST_CASE("a new file has the mode of the umask, a replaced one keeps its mode") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.toml");
  const mode_t before = ::umask(027);
  write_file_atomically(path, "old");
  ::umask(before);
  CHECK(file_mode(path) == 0640u);
  REQUIRE(::chmod(path.c_str(), 0604) == 0);
  write_file_atomically(path, "new");
  CHECK(file_mode(path) == 0604u);
}

TEST_CASE("a folder that is missing or is not a folder is reported and not changed") {
  const TemporaryFolder folder;
  const std::string missing = folder.file("none/a.toml");
  CHECK(refusal(missing, "x").find(missing) != std::string::npos);
  CHECK(refusal(missing, "x").find("folder") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.file("none")));
  write_file_atomically(folder.file("file"), "content");
  CHECK_FALSE(refusal(folder.file("file/a.toml"), "x").empty());
  CHECK_FALSE(refusal("", "x").empty());
  CHECK(read_content(folder.file("file")) == "content");
  CHECK(num_entries(folder) == 1);
}

TEST_CASE("a target that cannot be replaced leaves no temporary file") {
  const TemporaryFolder folder;
  const std::string path = folder.file("folder");
  fs::create_directory(path);
  CHECK(refusal(path, "x").find(path) != std::string::npos);
  CHECK(fs::is_directory(path));
  CHECK(num_entries(folder) == 1);
}

TEST_CASE("a folder without write permission leaves the old content", "[may_skip]") {
  if (::geteuid() == 0) SKIP_CASE("root may write anywhere");
  const TemporaryFolder folder;
  const std::string path = folder.file("a.toml");
  write_file_atomically(path, "old");
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  CHECK_FALSE(refusal(path, "new").empty());
  fs::permissions(folder.path(), fs::perms::owner_all);
  CHECK(read_content(path) == "old");
  CHECK(num_entries(folder) == 1);
}

TEST_CASE("an interrupted write leaves the old content and no temporary file") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.toml");
  write_file_atomically(path, "old");
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 4096;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string message = refusal(path, std::string(10'000, 'x'));
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(message.find("writing failed") != std::string::npos);
  CHECK(read_content(path) == "old");
  CHECK(num_entries(folder) == 1);
}

mode_t file_type(const std::string& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & S_IFMT;
}

ino_t inode_number(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_ino;
}

// The bytes that can be read from a descriptor without blocking.
std::string read_some(int descriptor) {
  std::string text(1000, '\0');
  const ssize_t count = ::read(descriptor, text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

// Creates a device node in a folder of the test. Returns false if this user or file system does not
// allow it.
bool make_node(const std::string& path, mode_t type, dev_t device) {
  if (::mknod(path.c_str(), type | 0600, device) != 0) return false;
  const int descriptor = type == S_IFCHR ? ::open(path.c_str(), O_WRONLY) : -1;
  if (descriptor >= 0) ::close(descriptor);
  return type != S_IFCHR || descriptor >= 0;
}

TEST_CASE("a link is kept, and the file that it names is replaced as a whole") {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("there"));
  const std::string file = folder.file("there/a.toml");
  write_file_atomically(file, "old");
  REQUIRE(::chmod(file.c_str(), 0604) == 0);
  fs::create_symlink("there/a.toml", folder.file("relative"));
  fs::create_symlink(file, folder.file("absolute"));
  fs::create_symlink("relative", folder.file("second"));
  fs::create_symlink("../second", folder.file("there/third"));
  for (const char* name : {"relative", "absolute", "second", "there/third"}) {
    INFO(name);
    const std::string link = folder.file(name);
    const int old_file = ::open(file.c_str(), O_RDONLY);
    const std::string before = read_content(file);
    write_file_atomically(link, name);
    CHECK(fs::is_symlink(link));
    CHECK(fs::is_regular_file(fs::symlink_status(file)));
    CHECK(read_content(file) == name);
    CHECK(file_mode(file) == 0604u);
    // Replaced, not overwritten: a reader of the old file still sees all of it.
    CHECK(read_some(old_file) == before);
    ::close(old_file);
  }
  CHECK(num_entries(folder) == 4);
  CHECK(std::distance(fs::directory_iterator(folder.file("there")), fs::directory_iterator()) == 2);
}

TEST_CASE(
    "a link to a missing file creates the file, and a link into a missing folder is rejected") {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("there"));
  fs::create_symlink("there/new.toml", folder.file("link"));
  write_file_atomically(folder.file("link"), "text");
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(read_content(folder.file("there/new.toml")) == "text");
  fs::create_symlink("missing/new.toml", folder.file("dangling"));
  CHECK(refusal(folder.file("dangling"), "x").find("missing/new.toml") != std::string::npos);
  fs::create_symlink("loop", folder.file("loop"));
  CHECK(refusal(folder.file("loop"), "x").find(folder.file("loop")) != std::string::npos);
  fs::create_symlink("there", folder.file("folder"));
  CHECK(refusal(folder.file("folder"), "x").find("folder") != std::string::npos);
  CHECK(fs::is_symlink(folder.file("folder")));
  CHECK(num_entries(folder) == 5);
}

TEST_CASE("a pipe is written to and not replaced, and a pipe without a reader is rejected") {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  fs::create_symlink("pipe", folder.file("link"));
  CHECK(refusal(path, "x").find("no process") != std::string::npos);
  CHECK(file_type(path) == S_IFIFO);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  for (const char* name : {"pipe", "link"}) {
    CHECK(refusal(folder.file(name), name).empty());
    CHECK(file_type(path) == S_IFIFO);
    CHECK(read_some(reader) == name);
  }
  ::close(reader);
  CHECK(num_entries(folder) == 2);
}

TEST_CASE("a terminal is written to and not replaced", "[may_skip]") {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) {
    SKIP_CASE("there are no pseudo terminals here");
  }
  const TemporaryFolder folder;
  const std::string path = folder.file("terminal");
  fs::create_symlink(::ptsname(master), path);
  const int slave = ::open(path.c_str(), O_RDWR | O_NOCTTY);
  CHECK(refusal(path, "text").empty());
  CHECK(read_some(master) == "text");
  CHECK(fs::is_symlink(path));
  CHECK(fs::is_character_file(path));
  ::close(slave);
  ::close(master);
}

TEST_CASE(
    "a character device is written to and a block device is rejected, and neither is replaced",
    "[may_skip]") {
  const TemporaryFolder folder;
  const std::string null = folder.file("null");
  const std::string full = folder.file("full");
  const std::string block = folder.file("block");
  if (!make_node(null, S_IFCHR, makedev(1, 3)) || !make_node(full, S_IFCHR, makedev(1, 7)) ||
      !make_node(block, S_IFBLK, makedev(7, 250))) {
    SKIP_CASE("this user can make no device nodes here");
  }
  CHECK(refusal(null, "text").empty());
  CHECK(refusal(full, "text").find("No space left") != std::string::npos);
  CHECK(refusal(block, "text").find("'" + block + "': it is a block device") != std::string::npos);
  CHECK(file_type(null) == S_IFCHR);
  CHECK(file_type(full) == S_IFCHR);
  CHECK(file_type(block) == S_IFBLK);
  CHECK(num_entries(folder) == 3);
}

TEST_CASE("a private file replaces a link, a pipe or a file, and only this user can access it") {
  const TemporaryFolder folder;
  const std::string path = folder.file("entry");
  write_file_atomically(folder.file("other"), "untouched");
  fs::create_symlink("other", path);
  write_private_file_atomically(path, "first");
  CHECK(file_type(path) == S_IFREG);
  CHECK(read_content(folder.file("other")) == "untouched");
  REQUIRE(::unlink(path.c_str()) == 0);
  REQUIRE(::mkfifo(path.c_str(), 0666) == 0);
  write_private_file_atomically(path, "second");
  REQUIRE(::chmod(path.c_str(), 0666) == 0);
  const mode_t before = ::umask(0);
  write_private_file_atomically(path, "third");
  ::umask(before);
  CHECK(file_type(path) == S_IFREG);
  CHECK(file_mode(path) == 0600u);
  CHECK(read_content(path) == "third");
  CHECK(num_entries(folder) == 2);
}

TEST_CASE("a socket is rejected with its name") {
  const TemporaryFolder folder;
  const std::string path = folder.file("socket");
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(refusal(path, "x").find("'" + path + "': it is a socket") != std::string::npos);
  CHECK(file_type(path) == S_IFSOCK);
  ::close(descriptor);
}

// As /dev/stdout refers to a file that the shell opened.
TEST_CASE(
    "for a path to an open descriptor, a pipe is written to, and a file is rejected and left unchanged") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  write_file_atomically(path, "before");
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND);
  const ino_t inode = inode_number(path);
  const std::string message = refusal("/proc/self/fd/" + std::to_string(file), "x");
  CHECK(message.find("name the file itself") != std::string::npos);
  CHECK(read_content(path) == "before");
  CHECK(inode_number(path) == inode);
  ::close(file);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK(refusal("/proc/self/fd/" + std::to_string(ends[1]), "text").empty());
  CHECK(read_some(ends[0]) == "text");
  for (const int end : ends) ::close(end);
}

}  // namespace
}  // namespace tilewright
