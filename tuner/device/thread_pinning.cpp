#include "tuner/device/thread_pinning.hpp"

#include "runtime/device/environment.hpp"

namespace tilewright {

std::string thread_warning(const std::string& platform) {
  const bool pocl = platform.find("Portable Computing Language") != std::string::npos;
  if (!pocl || environment("POCL_AFFINITY") == "1") return "";
  return "PoCL's threads wander between cores, which doubles some samples: run it with "
         "POCL_AFFINITY=1";
}

}  // namespace tilewright
