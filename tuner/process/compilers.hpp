// Opens worker processes that compile candidates ahead of the worker that measures.
//
// Their binaries go to the binary cache, where the measuring worker finds them. If the device is
// the CPU itself, nothing may be compiled while it is measured, so compiling and measuring
// alternate.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/process/device_worker.hpp"

namespace tilewright {

// Workers that compile.
using Compilers = std::vector<std::unique_ptr<DeviceWorker>>;

// Returns the default number of compilers: for a GPU all cores but one, which drives it; for a CPU
// all cores, or 0 if there is only one. At most 16.
int compilers_for(DeviceKind kind, int cores);

// Opens `count` compilers; -1: the default number for this machine. There are fewer if some of them
// cannot open the device, for example for lack of memory, and none without a binary cache. Throws
// StoppedBeforeWork.
Compilers open_compilers(const WorkerSetup& setup, const DeviceInfo& device, int count);

}  // namespace tilewright
