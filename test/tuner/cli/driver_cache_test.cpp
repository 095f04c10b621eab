#include "tuner/cli/driver_cache.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

TEST_CASE("driver cache: drivers keep kernels in a folder that is removed") {
  const TemporaryFolder base;
  const ScopedVariable pocl("POCL_CACHE_DIR", "/the/users/own");
  const ScopedVariable cuda("CUDA_CACHE_PATH", nullptr);
  std::string folder;
  {
    const mode_t before = ::umask(002);
    const PrivateDriverCache cache(base.file("cache"));
    ::umask(before);
    folder = cache.folder();
    CHECK(fs::is_directory(folder));
    // The library does not use a folder that other users can write to.
    CHECK(fs::status(base.file("cache")).permissions() == fs::perms::owner_all);
    for (const char* name : {"POCL_CACHE_DIR", "CUDA_CACHE_PATH", "MESA_GLSL_CACHE_DIR",
                             "MESA_SHADER_CACHE_DIR", "NEO_CACHE_DIR"}) {
      CHECK(std::string(::getenv(name)) == folder);
    }
    fs::create_directories(folder + "/ab/cd");
    std::ofstream(folder + "/ab/cd/kernel.so") << "machine code";
  }
  CHECK_FALSE(fs::exists(folder));
  CHECK(std::string(::getenv("POCL_CACHE_DIR")) == "/the/users/own");
  CHECK(::getenv("CUDA_CACHE_PATH") == nullptr);
}

TEST_CASE("driver cache: the folder of a killed tuning is removed, that of a running one is not") {
  const TemporaryFolder base;
  const std::string killed = base.file("tilewright-driver-cache-killed");
  const std::string running = base.file("tilewright-driver-cache-running");
  const std::string other = base.file("binaries");
  for (const std::string& folder : {killed, running, other}) fs::create_directories(folder);
  std::ofstream(killed + "/kernel.so") << "machine code";
  const int lock = ::open(running.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  REQUIRE(::flock(lock, LOCK_EX) == 0);
  const PrivateDriverCache one(base.path());
  const PrivateDriverCache two(base.path());
  ::close(lock);
  CHECK_FALSE(fs::exists(killed));
  CHECK(fs::exists(running));
  CHECK(fs::exists(other));
  CHECK(fs::exists(one.folder()));
  CHECK(one.folder() != two.folder());
}

TEST_CASE("driver cache: a user can keep the driver's own cache") {
  const TemporaryFolder base;
  const ScopedVariable own("TILEWRIGHT_DRIVER_CACHE", "own");
  const PrivateDriverCache cache(base.path());
  CHECK(cache.folder().empty());
  CHECK(fs::is_empty(base.path()));
}

TEST_CASE("driver cache: if no folder can be created, drivers use their own caches") {
  const TemporaryFolder base;
  std::ofstream(base.file("file")) << "no folder";
  const ScopedVariable pocl("POCL_CACHE_DIR", nullptr);
  const PrivateDriverCache cache(base.file("file"));
  CHECK(cache.folder().empty());
  CHECK(::getenv("POCL_CACHE_DIR") == nullptr);
}

}  // namespace
}  // namespace tilewright
