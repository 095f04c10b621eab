// What drivers for CPUs need: PoCL a writable folder for compiled kernels, without which it lists
// no device and does not report why, and pinned threads.
#pragma once

#include <string>

namespace tilewright {

// Returns the folder that PoCL uses, given the values of $POCL_CACHE_DIR, $XDG_CACHE_HOME and $HOME
// ("" if a variable is not set).
std::string pocl_cache_folder(const std::string& pocl_cache_dir, const std::string& xdg_cache_home,
                              const std::string& home);

// Returns true if this process can write to the folder, or create it if it does not exist.
bool can_write_folder(const std::string& folder);

// Returns PoCL's folder for the environment of this process if this process can neither write to it
// nor create it; otherwise "".
std::string unwritable_pocl_cache();

// Sets POCL_AFFINITY=1 for this process and its workers. Does nothing if the variable is already
// set, or if this process may not use cores 0 to n - 1 (n: number of its cores), to which PoCL
// would pin its threads. Call it before the first OpenCL call. Without pinning, two PoCL threads
// may share a core for some milliseconds, which doubles all times measured meanwhile.
void pin_driver_threads();

// Returns a warning if the environment of this process may make the measurements on a platform
// unsteady, with a remedy; "" if no problem is known. `platform` is the name of the platform.
std::string thread_warning(const std::string& platform);

}  // namespace tilewright
