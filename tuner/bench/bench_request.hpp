// How does `bench` ask for the times of kernels?
#pragma once

#include <string>

#include "tuner/worker/device_worker.hpp"

namespace tilewright {

// What became of the request. Throws std::runtime_error if the user stops it.
MeasureReply measured(DeviceWorker& worker, const MeasureRequest& request);

// "device time" or "wall time".
const char* timer_of(const MeasureReply& reply);

// Kernels that the worker died of, or hung in.
std::size_t crashes_in(const MeasureReply& reply);

}  // namespace tilewright
