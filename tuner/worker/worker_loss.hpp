// What becomes of a kernel that a worker process was lost with?
#pragma once

#include <string>

#include "tuner/worker/worker_process.hpp"

namespace tilewright {

// The outcome of the kernel: its class by the last phase, and a sentence that says what happened.
// `name`: how phases call it.
Outcome outcome_of_loss(const WorkerLost& lost, const KernelId& kernel, const std::string& name);

}  // namespace tilewright
