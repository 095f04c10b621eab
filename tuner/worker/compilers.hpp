// Workers that compile candidates ahead of the one that measures.
//
// What they compile goes to the cache of binaries, where the measuring worker finds it. A device
// that is itself the processor must not be measured while others compile: there the two take turns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/worker/device_worker.hpp"

namespace tilewright {

using Compilers = std::vector<std::unique_ptr<DeviceWorker>>;

// How many there are by default: for a GPU all cores but one, which feeds it; for a CPU all cores,
// while it is not measured.
int compilers_for(DeviceKind kind, int cores);

// Opens so many; -1: as many as this machine has cores for. Fewer where the device has no room for
// so many contexts; none without a cache. Throws StoppedBeforeWork.
Compilers open_compilers(const WorkerSetup& setup, const DeviceInfo& device, int count);

}  // namespace tilewright
