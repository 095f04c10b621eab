// Tests which files are read, which are rejected, and that no file blocks the reader.
#include "profiles/base/read_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "catch.hpp"
#include "deadline.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

namespace fs = std::filesystem;

std::string written(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder.file("a"), std::ios::binary) << text;
  return folder.file("a");
}

TEST_CASE("a file is read completely or in part") {
  const TemporaryFolder folder;
  std::string text(100'006, 'x');
  text.replace(0, 6, std::string_view("01234\0", 6));
  const std::string path = written(folder, text);
  CHECK(read_file(path).bytes == text);
  CHECK(read_file(path, {2, 3}).bytes == "234");
  CHECK(read_file(path, {100'000, 100}).bytes == "xxxxxx");
  CHECK(read_file(path, {200'000, 100}).bytes.empty());
  CHECK(read_file(path, {0, 0}).bytes.empty());
  CHECK(read_file(path, {std::uint64_t{1} << 63, 100}).failure.empty());
  CHECK(read_file(path, {200'000, 100}).failure.empty());
  fs::create_symlink("a", folder.file("link"));
  CHECK(read_file(folder.file("link"), {0, 5}).bytes == "01234");
  CHECK(read_file(written(folder, "")).failure.empty());
}

TEST_CASE("files of the kernel, which do not report their size, are read") {
  CHECK(read_file("/proc/self/status").bytes.find("\nPid:\t") != std::string::npos);
  CHECK(read_file("/proc/self/status", {0, 5}).bytes == "Name:");
}

TEST_CASE("a missing file is distinguished from one that is not a regular file") {
  const TemporaryFolder folder;
  const FileContent missing = read_file(folder.file("missing"));
  CHECK_THAT(missing.failure, ContainsSubstring("cannot be opened"));
  CHECK_FALSE(missing.can_be_opened);
  const FileContent a_folder = read_file(folder.path());
  CHECK_THAT(a_folder.failure, ContainsSubstring("regular file"));
  CHECK(a_folder.can_be_opened);
}

TEST_CASE("a pipe is rejected without blocking, with or without a writer, and so is a device") {
  const Deadline deadline;
  const TemporaryFolder folder;
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  fs::create_symlink("pipe", folder.file("link"));
  for (const char* name : {"pipe", "link"}) {
    CHECK_THAT(read_file(folder.file(name)).failure, ContainsSubstring("regular file"));
  }
  const std::fstream writer(folder.file("pipe"));
  REQUIRE(writer.is_open());
  CHECK_THAT(read_file(folder.file("pipe")).failure, ContainsSubstring("regular file"));
  CHECK_THAT(read_file("/dev/zero").failure, ContainsSubstring("regular file"));
}

TEST_CASE("a private file belongs to this user, is not writable by others, and is not a link",
          "[may_skip]") {
  const Deadline deadline;
  const TemporaryFolder folder;
  const std::string path = written(folder, "text");
  for (const mode_t mode : {0600, 0644, 0400}) {
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    CHECK(read_private_file(path).bytes == "text");
    CHECK(read_private_file(path, {1, 2}).bytes == "ex");
  }
  for (const mode_t mode : {0602, 0666}) {
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    CHECK_THAT(read_private_file(path).failure, ContainsSubstring("other users"));
    CHECK(read_private_file(path).bytes.empty());
    CHECK(read_file(path).bytes == "text");
  }
  fs::create_symlink("a", folder.file("link"));
  CHECK_FALSE(read_private_file(folder.file("link")).failure.empty());
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  CHECK_THAT(read_private_file(folder.file("pipe")).failure, ContainsSubstring("regular file"));
  REQUIRE(::chmod(path.c_str(), 0600) == 0);
  if (::chown(path.c_str(), 12345, 12345) != 0) SKIP_CASE("only root gives files away");
  CHECK_THAT(read_private_file(path).failure, ContainsSubstring("another user"));
}

}  // namespace
}  // namespace tilewright
