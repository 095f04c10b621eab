// Pins the threads of CPU drivers to cores, and warns where they are not.
#pragma once

#include <string>

namespace tilewright {

// Sets POCL_AFFINITY=1 for this process and its workers, unless the variable is set or this process
// may not use cores 0 to n - 1 of n, which PoCL would pin its threads to. Call it before the first
// OpenCL call. Two of PoCL's threads on one core for some milliseconds double the time of
// everything.
void pin_driver_threads();

// Why figures of a platform (its name) may be unsteady by this process' environment, and what to
// do; "": nothing is known to be wrong.
std::string thread_warning(const std::string& platform);

}  // namespace tilewright
