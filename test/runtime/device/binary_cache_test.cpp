// Tests program binaries in a folder: hits, misses, and removed files. Needs no device.
#include "runtime/device/binary_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "deadline.hpp"
#include "forked_child.hpp"
#include "scoped_variable.hpp"
#include "session.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

BinaryKey make_binary_key(const std::string& source) {
  return {"device 'd', driver '1'", source, "-cl-mad-enable"};
}

std::vector<fs::path> files_in(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

std::string read_content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

// Sets the time of a file's last use.
void age(const fs::path& path, std::chrono::hours hours) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - hours);
}

TEST_CASE("a stored binary is found by this object and by the next one") {
  const TemporaryFolder folder;
  const std::string below = folder.path() + "/made/when/needed";
  const std::string binary("bin\0ary\nwith \n lines", 20);
  BinaryCache cache(below);
  CHECK(cache.find(make_binary_key("s")) == std::nullopt);
  cache.store(make_binary_key("s"), binary);
  CHECK(cache.find(make_binary_key("s")) == binary);
  CHECK(cache.stats() == BinaryCache::Stats{1, 1, 1});
  CHECK(BinaryCache(below).find(make_binary_key("s")) == binary);
  CHECK(files_in(below).size() == 1);
  struct stat status {};
  REQUIRE(::stat(below.c_str(), &status) == 0);
  CHECK((status.st_mode & 077) == 0);
}

TEST_CASE("a binary that a driver loaded when the process died is removed") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  cache.store(make_binary_key("s"), "binary");
  const fs::path file = files_in(folder.path()).at(0);
  for (const int signal : {SIGABRT, SIGKILL}) {
    cache.store(make_binary_key("s"), "binary");
    run_in_child([&] {
      const BinaryCache::LoadMark mark = cache.mark_load(make_binary_key("s"));
      ::signal(signal, SIG_DFL);
      return ::raise(signal);
    });
    CHECK(fs::exists(file));
    CHECK(cache.find(make_binary_key("s")) == std::nullopt);
    CHECK_FALSE(fs::exists(file));
  }
}

TEST_CASE("a binary whose time a tool has set to the start of 1970 is found") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  cache.store(make_binary_key("s"), "binary");
  const timespec epoch[2] = {};
  REQUIRE(::utimensat(AT_FDCWD, files_in(folder.path()).at(0).c_str(), epoch, 0) == 0);
  CHECK(cache.find(make_binary_key("s")) == "binary");
}

TEST_CASE("a binary that is loaded now, or was loaded, is found") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  cache.store(make_binary_key("s"), "binary");
  {
    const BinaryCache::LoadMark mark = cache.mark_load(make_binary_key("s"));
    CHECK(BinaryCache(folder.path()).find(make_binary_key("s")) == "binary");
    CHECK(run_in_child([&] { return cache.find(make_binary_key("s")) ? 0 : 1; }) == 0);
  }
  CHECK(fs::last_write_time(files_in(folder.path()).at(0)) >
        fs::file_time_type::clock::now() - std::chrono::hours(1));
  CHECK(cache.find(make_binary_key("s")) == "binary");
  const BinaryCache::LoadMark none = cache.mark_load(make_binary_key("missing"));
  CHECK(cache.find(make_binary_key("missing")) == std::nullopt);
}

TEST_CASE("each part of the key matters") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  cache.store({"d", "s", "o"}, "binary");
  CHECK(cache.find({"d", "s", "o"}) == "binary");
  CHECK(cache.find({"other", "s", "o"}) == std::nullopt);
  CHECK(cache.find({"d", "other", "o"}) == std::nullopt);
  CHECK(cache.find({"d", "s", "other"}) == std::nullopt);
  CHECK(cache.find({"ds", "", "o"}) == std::nullopt);
  CHECK(cache.find({"d", "so", ""}) == std::nullopt);
}

TEST_CASE("a damaged or truncated file, or one with another key, is a miss and is removed") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  cache.store(make_binary_key("s"), "the binary");
  const fs::path path = files_in(folder.path()).at(0);
  const std::string whole = read_content(path);
  std::vector<std::string> damaged{"", "\n", "no line", whole + "!", whole.substr(0, 40)};
  for (std::size_t cut = 1; cut <= 11; ++cut) {
    damaged.push_back(whole.substr(0, whole.size() - cut));
  }
  for (std::size_t i = 0; i < whole.size(); i += 7) {
    damaged.push_back(whole);
    damaged.back()[i] ^= 1;
  }
  cache.store(make_binary_key("other"), "the binary");
  for (const fs::path& file : files_in(folder.path())) {
    if (file != path) damaged.push_back(read_content(file));
  }
  for (const std::string& content : damaged) {
    INFO(content);
    write(path, content);
    CHECK(cache.find(make_binary_key("s")) == std::nullopt);
    CHECK_FALSE(fs::exists(path));
  }
  write(path, whole);
  CHECK(cache.find(make_binary_key("s")) == "the binary");
}

TEST_CASE("a binary that the driver rejects is removed") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  cache.store(make_binary_key("s"), "binary");
  CHECK(cache.find(make_binary_key("s")) == "binary");
  cache.drop(make_binary_key("s"));
  CHECK(cache.stats() == BinaryCache::Stats{0, 1, 1});
  CHECK(files_in(folder.path()).empty());
}

TEST_CASE("above the limit, the entries that were not used for the longest time are removed") {
  const TemporaryFolder folder;
  const std::string binary(1000, 'x');
  std::vector<fs::path> paths;
  {
    BinaryCache unbound(folder.path());
    for (int i = 0; i < 5; ++i) {
      unbound.store(make_binary_key(std::to_string(i)), binary);
      for (const fs::path& path : files_in(folder.path())) {
        if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
      }
    }
  }
  for (int i = 0; i < 5; ++i) age(paths[static_cast<std::size_t>(i)], std::chrono::hours(10 - i));
  const auto file_bytes = fs::file_size(paths[0]);
  // Room for five and a half files; at most seven eighths of this remain, which is four files.
  BinaryCache cache(folder.path(), 5 * file_bytes + file_bytes / 2);
  CHECK(cache.find(make_binary_key("0")) == binary);  // now used last
  cache.store(make_binary_key("new"), binary);
  CHECK(files_in(folder.path()).size() == 4);
  CHECK(cache.find(make_binary_key("1")) == std::nullopt);
  CHECK(cache.find(make_binary_key("2")) == std::nullopt);
  for (const char* kept : {"0", "3", "4", "new"})
    CHECK(cache.find(make_binary_key(kept)) == binary);
}

TEST_CASE(
    "a folder stays within its limit however much is stored, and other files are not touched") {
  const TemporaryFolder folder;
  write(folder.path() + "/notes.txt", "the user's own");
  write(folder.path() + "/.tilewright-1-0.tmp", "of a process that was killed");
  write(folder.path() + "/.tilewright-1-1.tmp", "of a process that is at work");
  age(folder.path() + "/.tilewright-1-0.tmp", std::chrono::hours(2));
  BinaryCache cache(folder.path(), 10'000);
  for (int i = 0; i < 50; ++i)
    cache.store(make_binary_key(std::to_string(i)), std::string(1000, 'x'));
  std::uintmax_t bytes = 0;
  for (const fs::path& path : files_in(folder.path())) bytes += fs::file_size(path);
  CHECK(bytes > 4'000);
  CHECK(bytes <= 10'100);
  CHECK(fs::exists(folder.path() + "/notes.txt"));
  CHECK_FALSE(fs::exists(folder.path() + "/.tilewright-1-0.tmp"));
  CHECK(fs::exists(folder.path() + "/.tilewright-1-1.tmp"));
  cache.store(make_binary_key("huge"), std::string(9'000, 'x'));
  CHECK(cache.find(make_binary_key("huge")) == std::nullopt);
}

TEST_CASE("a folder that others may write, or that another user owns, is not used") {
  const TemporaryFolder folder;
  BinaryCache(folder.path()).store(make_binary_key("s"), "binary");
  const fs::path entry = files_in(folder.path()).at(0);
  // 01777 is the mode of /tmp, where nobody can remove the user's file, but anybody can create it
  // first.
  for (const mode_t mode : {0707, 0777, 01777}) {
    REQUIRE(::chmod(folder.path().c_str(), mode) == 0);
    BinaryCache cache(folder.path());
    CHECK(cache.find(make_binary_key("s")) == std::nullopt);
    cache.store(make_binary_key("new"), "binary");
    CHECK(cache.stats() == BinaryCache::Stats{0, 1, 0});
    CHECK(cache.obstacle() == folder.path() + " can be written by other users");
    CHECK(files_in(folder.path()) == std::vector{entry});
  }
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  BinaryCache own(folder.path());
  CHECK(own.find(make_binary_key("s")) == "binary");
  CHECK(own.obstacle().empty());
  if (::chown(folder.path().c_str(), 12345, 12345) != 0) SKIP_CASE("only root gives folders away");
  BinaryCache foreign(folder.path());
  CHECK(foreign.find(make_binary_key("s")) == std::nullopt);
  foreign.store(make_binary_key("new"), "binary");
  CHECK(foreign.obstacle() == folder.path() + " belongs to another user");
  CHECK(files_in(folder.path()) == std::vector{entry});
}

TEST_CASE(
    "an entry that others may write, that another user owns, or that is not a file is removed") {
  const Deadline deadline;
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  BinaryCache cache(folder.path());
  cache.store(make_binary_key("s"), "binary");
  const fs::path path = files_in(folder.path()).at(0);
  const std::string whole = read_content(path);
  const std::string other = elsewhere.file("planted");
  write(other, whole);
  const auto make = std::vector<std::function<bool()>>{
      [&] { return write(path, whole), ::chmod(path.c_str(), 0602) == 0; },
      [&] { return write(path, whole), ::chmod(path.c_str(), 0666) == 0; },
      [&] { return write(path, whole), ::chown(path.c_str(), 12345, 12345) == 0; },
      [&] { return ::symlink(other.c_str(), path.c_str()) == 0; },
      [&] { return ::symlink("/dev/zero", path.c_str()) == 0; },
      [&] { return ::mkfifo(path.c_str(), 0600) == 0; },
      [&] { return write(path, ""), fs::resize_file(path, std::uintmax_t{1} << 40), true; },
  };
  for (std::size_t i = 0; i < make.size(); ++i) {
    INFO(i);
    fs::remove(path);
    if (!make[i]()) {
      REQUIRE(::geteuid() != 0);
      count_skipped_part("another user's entry: only root gives files away");
      continue;
    }
    CHECK(cache.find(make_binary_key("s")) == std::nullopt);
    CHECK_FALSE(fs::exists(fs::symlink_status(path)));
    // The next store replaces the entry itself, not the target of a link.
    make[i]();
    cache.store(make_binary_key("s"), "binary");
    CHECK(cache.find(make_binary_key("s")) == "binary");
    CHECK(fs::is_regular_file(fs::symlink_status(path)));
    CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(read_content(other) == whole);
  }
}

TEST_CASE("entries are found even if the umask lets the group write") {
  const TemporaryFolder folder;
  const mode_t before = ::umask(002);
  BinaryCache cache(folder.path() + "/made");
  cache.store(make_binary_key("s"), "binary");
  ::umask(before);
  CHECK(cache.find(make_binary_key("s")) == "binary");
}

TEST_CASE("only this user has access to a new folder, and to the default folder", "[may_skip]") {
  constexpr fs::perms kOwner = fs::perms::owner_all;
  const TemporaryFolder home;
  const ScopedVariable xdg("XDG_CACHE_HOME", home.path().c_str());
  const std::string folder = home.file("tilewright");
  const auto mode = [](const std::string& path) { return fs::status(path).permissions(); };
  {
    const ScopedVariable unset("TILEWRIGHT_CACHE", nullptr);
    for (const mode_t shared : {0775, 0777}) {  // 0775: mkdir with a umask of 002
      fs::create_directories(folder);
      REQUIRE(::chmod(folder.c_str(), shared) == 0);
      const auto cache = default_binary_cache();
      CHECK(cache->obstacle().empty());
      CHECK(mode(folder) == kOwner);
    }
    REQUIRE(::chmod(folder.c_str(), 0755) == 0);
    CHECK(default_binary_cache()->obstacle().empty());
    CHECK(mode(folder) == static_cast<fs::perms>(0755));
    // A link may lead to a folder with other purposes.
    fs::remove_all(folder);
    fs::create_directories(home.file("other"));
    REQUIRE(::chmod(home.file("other").c_str(), 0777) == 0);
    fs::create_symlink("other", folder);
    CHECK(default_binary_cache()->obstacle() == folder + " can be written by other users");
  }
  // So may a folder that the user names, such as /tmp.
  const ScopedVariable named("TILEWRIGHT_CACHE", home.file("other").c_str());
  CHECK(default_binary_cache()->obstacle() ==
        home.file("other") + " can be written by other users");
  const mode_t before = ::umask(002);
  create_cache_folder(home.file("new/cache"));
  ::umask(before);
  CHECK(mode(home.file("new/cache")) == kOwner);
  fs::remove(folder);
  fs::create_directories(folder);
  if (::chown(folder.c_str(), 12345, 12345) != 0) SKIP_CASE("only root gives folders away");
  REQUIRE(::chmod(folder.c_str(), 0777) == 0);
  const ScopedVariable unset("TILEWRIGHT_CACHE", nullptr);
  CHECK(default_binary_cache()->obstacle() == folder + " belongs to another user");
  CHECK(mode(folder) == static_cast<fs::perms>(0777));
}

TEST_CASE("a folder that is not writable is not used and causes no error") {
  const TemporaryFolder folder;
  write(folder.path() + "/file", "");
  for (const std::string& path : {folder.path() + "/file", folder.path() + "/file/below",
                                  std::string("/proc/tilewright"), std::string(1, '\0')}) {
    BinaryCache cache(path);
    CHECK_NOTHROW(cache.store(make_binary_key("s"), "binary"));
    CHECK(cache.find(make_binary_key("s")) == std::nullopt);
    CHECK(cache.stats() == BinaryCache::Stats{0, 1, 0});
  }
  CHECK(read_content(folder.path() + "/file").empty());
}

TEST_CASE("with many concurrent writers, readers and evictions, a binary is complete or missing") {
  const TemporaryFolder folder;
  const auto stored_binary = [](int i) {
    return std::string(500 + 100 * static_cast<std::size_t>(i), static_cast<char>('a' + i));
  };
  std::atomic<int> wrong{0};
  std::atomic<std::uint64_t> found{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      // One object for each thread, as if they were processes.
      BinaryCache cache(folder.path(), 4'000);
      for (int i = 0; i < 200; ++i) {
        const BinaryKey key = make_binary_key(std::to_string(i % 5));
        cache.store(key, stored_binary(i % 5));
        const auto binary = cache.find(key);
        if (binary && *binary != stored_binary(i % 5)) ++wrong;
      }
      found += cache.stats().hits;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(found > 0);
  for (const fs::path& path : files_in(folder.path())) CHECK(path.extension() == ".clbin");
}

TEST_CASE("the environment determines the folder of the cache") {
  const ScopedVariable home("HOME", "/home/h");
  const ScopedVariable xdg("XDG_CACHE_HOME", "/x");
  const ScopedVariable own("TILEWRIGHT_CACHE", "/t");
  CHECK(default_cache_folder() == "/t");
  CHECK(default_binary_cache()->folder() == "/t");
  {
    const ScopedVariable off("TILEWRIGHT_CACHE", "off");
    CHECK(default_binary_cache() == nullptr);
  }
  const ScopedVariable unset("TILEWRIGHT_CACHE", nullptr);
  CHECK(default_cache_folder() == "/x/tilewright");
  const ScopedVariable relative("XDG_CACHE_HOME", "x");
  CHECK(default_cache_folder() == "/home/h/.cache/tilewright");
  const ScopedVariable no_xdg("XDG_CACHE_HOME", nullptr);
  CHECK(default_cache_folder() == "/home/h/.cache/tilewright");
  const ScopedVariable no_home("HOME", nullptr);
  CHECK(default_binary_cache() == nullptr);
}

}  // namespace
}  // namespace tilewright
