#include "tuner/measure/device/cpu_driver.hpp"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/device/environment.hpp"

namespace tilewright {
namespace {

// Returns true if this process may use cores 0 to n - 1. PoCL pins thread i to core i.
bool has_first_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return false;
  const int count = CPU_COUNT(&cores);
  for (int i = 0; i < count; ++i) {
    if (!CPU_ISSET(static_cast<unsigned>(i), &cores)) return false;
  }
  return count > 0;
}

}  // namespace

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

void pin_driver_threads() {
  if (has_first_cores()) ::setenv("POCL_AFFINITY", "1", 0);
}

std::string thread_warning(const std::string& platform) {
  const bool pocl = platform.find("Portable Computing Language") != std::string::npos;
  if (!pocl || environment("POCL_AFFINITY") == "1") return "";
  if (!has_first_cores()) {
    return "PoCL's threads are not pinned to cores, so some samples take twice as long: PoCL pins "
           "threads to cores 0 to n - 1, but this process may not use these; run it on them (for "
           "four threads: taskset -c 0-3)";
  }
  return "PoCL's threads are not pinned to cores, so some samples take twice as long; set "
         "POCL_AFFINITY=1";
}

}  // namespace tilewright
