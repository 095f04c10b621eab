#include "tuner/measure/device/pocl_cache.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/device/environment.hpp"

namespace tilewright {

std::string pocl_cache_folder(const std::string& pocl_cache_dir, const std::string& xdg_cache_home,
                              const std::string& home) {
  if (!pocl_cache_dir.empty()) return pocl_cache_dir;
  if (!xdg_cache_home.empty()) return xdg_cache_home + "/pocl/kcache";
  return (home.empty() ? "/tmp" : home + "/.cache") + "/pocl/kcache";
}

bool can_write_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code code;
  fs::path existing = fs::absolute(folder, code).lexically_normal();
  while (!fs::exists(existing, code) && existing.has_relative_path()) {
    existing = existing.parent_path();
  }
  // Creates a folder to find out, because permission bits are not sufficient: root appears to have
  // write access to /proc and to a disk that is mounted read-only.
  std::string probe = existing / ".tilewright-XXXXXX";
  return ::mkdtemp(probe.data()) != nullptr && ::rmdir(probe.c_str()) == 0;
}

std::string unwritable_pocl_cache() {
  const std::string folder = pocl_cache_folder(environment("POCL_CACHE_DIR"),
                                               environment("XDG_CACHE_HOME"), environment("HOME"));
  return can_write_folder(folder) ? "" : std::filesystem::path(folder).lexically_normal().string();
}

}  // namespace tilewright
