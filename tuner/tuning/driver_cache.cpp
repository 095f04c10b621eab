#include "tuner/tuning/driver_cache.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "runtime/device/binary_cache.hpp"
#include "runtime/device/environment.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "driver-cache-";

// Of PoCL, NVIDIA, Mesa and Intel. What the user set is about the user's own cache.
constexpr const char* kVariables[] = {"POCL_CACHE_DIR", "CUDA_CACHE_PATH", "MESA_SHADER_CACHE_DIR",
                                      "NEO_CACHE_DIR"};

// The folder, locked; -1: another process uses it, or it cannot be locked (some network folders).
int lock_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 || ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
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
  fs::create_directories(base, ignored);
  remove_abandoned(base);
  std::string name = fs::absolute(base, ignored).string() + "/" + kPrefix + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return;
  folder_ = name;
  lock_ = lock_folder(folder_);
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
