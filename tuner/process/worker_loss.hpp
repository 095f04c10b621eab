// Determines the outcome of a kernel that a worker process was working on when it was lost.
#pragma once

#include <string>

#include "tuner/process/worker_process.hpp"

namespace tilewright {

// Returns the outcome of the kernel. Its class follows from the last activity, and its reason is a
// sentence that describes what happened. `name` is the kernel's name in announcements.
Outcome loss_outcome(const WorkerLost& lost, const KernelId& kernel, const std::string& name);

}  // namespace tilewright
