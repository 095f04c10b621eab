// Which pack kernel suits the device?
#pragma once

#include <optional>

#include "profiles/profile.hpp"
#include "runtime/executor.hpp"

namespace tilewright {

// Tries the pack codelet's points that fit the limits, checks each element by element, and returns
// the fastest on a 1000 x 1000 matrix; nullopt if none works.
std::optional<KernelRecord> tune_pack(const Executor& executor, const cl::CommandQueue& queue,
                                      const DeviceLimits& limits);

// The first element that a pack kernel gets wrong, or nullopt. Extents that no tile divides, gaps
// and offsets included.
std::optional<Rejection> verify_pack(const Executor& executor, const cl::CommandQueue& queue,
                                     LoadedKernel& kernel);

}  // namespace tilewright
