#include "tuner/cli/driver_cache.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "runtime/device/binary_cache.hpp"
#include "runtime/device/environment.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "tilewright-driver-cache-";

// The variables of PoCL, NVIDIA, Mesa (before 21.3, and since) and Intel. Values that the user has
// set refer to the user's own cache.
constexpr const char* kVariables[] = {"POCL_CACHE_DIR", "CUDA_CACHE_PATH", "MESA_GLSL_CACHE_DIR",
                                      "MESA_SHADER_CACHE_DIR", "NEO_CACHE_DIR"};

// Locks this user's folder. Returns a descriptor that holds the lock, or -1 if another process uses
// the folder, or if it cannot be locked (on some network file systems).
int lock_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return -1;
  struct stat status = {};
  const bool own = ::fstat(descriptor, &status) == 0 && status.st_uid == ::geteuid();
  if (own && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

void remove_abandoned(const std::string& base) {
  std::error_code ignored;
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(base, ignored)) {
    if (entry.path().filename().string().starts_with(kPrefix)) folders.push_back(entry.path());
  }
  for (const std::string& folder : folders) {
    const int lock = lock_folder(folder);
    if (lock < 0) continue;
    fs::remove_all(folder, ignored);
    ::close(lock);
  }
}

}  // namespace

std::string PrivateDriverCache::default_base() {
  const std::string cache = default_cache_folder();
  std::error_code ignored;
  return cache.empty() ? fs::temp_directory_path(ignored).string() : cache;
}

PrivateDriverCache::PrivateDriverCache(const std::string& base) {
  if (environment("TILEWRIGHT_DRIVER_CACHE") == "own") return;
  std::error_code ignored;
  create_cache_folder(base);
  // Tunings that start at the same time create and lock their folders one after the other, because
  // a folder that is not locked yet seems abandoned.
  const int lock = ::open((base + "/" + kPrefix + "lock").c_str(),
                          O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock >= 0) ::flock(lock, LOCK_EX);
  remove_abandoned(base);
  std::string name = fs::absolute(base, ignored).string() + "/" + kPrefix + "XXXXXX";
  const bool made = ::mkdtemp(name.data()) != nullptr;
  if (made) lock_ = lock_folder(name);
  if (lock >= 0) ::close(lock);
  if (!made) return;
  folder_ = name;
  for (const char* variable : kVariables) {
    const char* value = ::getenv(variable);
    old_.push_back(value == nullptr ? std::nullopt : std::optional<std::string>(value));
    ::setenv(variable, folder_.c_str(), 1);
  }
}

PrivateDriverCache::~PrivateDriverCache() {
  if (folder_.empty()) return;
  for (std::size_t i = 0; i < old_.size(); ++i) {
    if (old_[i]) {
      ::setenv(kVariables[i], old_[i]->c_str(), 1);
    } else {
      ::unsetenv(kVariables[i]);
    }
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace tilewright
