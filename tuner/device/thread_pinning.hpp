// Do the threads of a CPU device stay on their cores?
#pragma once

#include <string>

namespace tilewright {

// Why figures of a platform (its name) may be unsteady by this process' environment, and what to
// do; "": nothing is known to be wrong. PoCL only pins its threads if POCL_AFFINITY is 1; two of
// them on one core for some milliseconds double the time of everything.
std::string thread_warning(const std::string& platform);

}  // namespace tilewright
