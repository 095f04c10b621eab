#include "profiles/atomic_file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777u;
}

// What write_file_atomically() throws; empty if nothing.
std::string refusal(const std::string& path, std::string_view content) {
  try {
    write_file_atomically(path, content);
  } catch (const std::system_error& error) {
    CHECK(error.code().category() == std::generic_category());
    return error.what();
  }
  return {};
}

TEST_CASE("a file is created and replaced whole") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.toml");
  write_file_atomically(path, "old");
  CHECK(content_of(path) == "old");
  const std::string long_content(3 << 20, 'x');
  write_file_atomically(path, long_content);
  CHECK(content_of(path) == long_content);
  write_file_atomically(path, std::string_view("\0\n", 2));
  CHECK(content_of(path) == std::string("\0\n", 2));
  write_file_atomically(path, "");
  CHECK(content_of(path).empty());
  CHECK(num_entries(folder) == 1);
}

TEST_CASE("a path without a slash is in the current folder") {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const std::string message = refusal("plain.toml", "text");
  fs::current_path(before);
  CHECK(message.empty());
  CHECK(content_of(folder.file("plain.toml")) == "text");
}

TEST_CASE("a new file has the mode of the umask, a replaced one keeps its own") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.toml");
  const mode_t before = ::umask(027);
  write_file_atomically(path, "old");
  ::umask(before);
  CHECK(mode_of(path) == 0640u);
  REQUIRE(::chmod(path.c_str(), 0604) == 0);
  write_file_atomically(path, "new");
  CHECK(mode_of(path) == 0604u);
}

TEST_CASE("a folder that is missing or none is named and left alone") {
  const TemporaryFolder folder;
  const std::string missing = folder.file("none/a.toml");
  CHECK(refusal(missing, "x").find(missing) != std::string::npos);
  CHECK_FALSE(fs::exists(folder.file("none")));
  write_file_atomically(folder.file("file"), "content");
  CHECK_FALSE(refusal(folder.file("file/a.toml"), "x").empty());
  CHECK_FALSE(refusal("", "x").empty());
  CHECK(content_of(folder.file("file")) == "content");
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

TEST_CASE("a folder without write permission leaves the old content") {
  if (::geteuid() == 0) return;  // root may write anywhere
  const TemporaryFolder folder;
  const std::string path = folder.file("a.toml");
  write_file_atomically(path, "old");
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  CHECK_FALSE(refusal(path, "new").empty());
  fs::permissions(folder.path(), fs::perms::owner_all);
  CHECK(content_of(path) == "old");
  CHECK(num_entries(folder) == 1);
}

TEST_CASE("a write that breaks off leaves the old content and no temporary file") {
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
  CHECK(content_of(path) == "old");
  CHECK(num_entries(folder) == 1);
}

}  // namespace
}  // namespace tilewright
