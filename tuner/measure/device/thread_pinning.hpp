// Pins the threads of CPU drivers to cores, and warns if they are not pinned.
#pragma once

#include <string>

namespace tilewright {

// Sets POCL_AFFINITY=1 for this process and its workers. Does nothing if the variable is already
// set, or if this process may not use cores 0 to n - 1 (n: number of its cores), to which PoCL
// would pin its threads. Call it before the first OpenCL call. Without pinning, two PoCL threads
// may share a core for some milliseconds, which doubles all times measured meanwhile.
void pin_driver_threads();

// Returns a warning if the environment of this process may make the measurements on a platform
// unsteady, with a remedy; "" if no problem is known. `platform` is the name of the platform.
std::string thread_warning(const std::string& platform);

}  // namespace tilewright
