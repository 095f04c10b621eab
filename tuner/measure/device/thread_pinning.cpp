#include "tuner/measure/device/thread_pinning.hpp"

#include <sched.h>
#include <stdlib.h>

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
