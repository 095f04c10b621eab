// Determines the outcome of a kernel that a worker process was working on when it was lost.
#pragma once

#include <string>

#include "tuner/process/worker_process.hpp"

namespace tilewright {

// Sets the class of the outcome by the last activity of the worker, and the reason to a sentence
// that describes what happened.
void set_loss(const WorkerLost& lost, Outcome& outcome);

}  // namespace tilewright
