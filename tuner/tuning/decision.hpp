// Decides which kernels win after a search.
//
// The finals select kernels. Then these are tried with what networks need. If that takes less than
// its time, there are further finals.
#pragma once

#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

// Ends what the worker does after so much time, in seconds.
void end_worker_by(DeviceWorker& worker, double left_s);

// Runs finals and the stage for networks until the budget is spent, without repeating what the
// journal contains. Returns false if a stop was requested. Throws
// NoUsableKernel.
bool decide(TuneContext& context);

}  // namespace tilewright
