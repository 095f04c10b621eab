// Which pack kernel suits the device?
#pragma once

#include <optional>

#include "codelets/validity.hpp"
#include "runtime/executor.hpp"

namespace tilewright {

// Tries points of the pack codelet that turn C into R: some that are known to do well, and random
// ones. Checks each element by element, and returns the fastest on a 1000 x 1000 matrix; nullopt if
// none works. Stops trying after `seconds`, but not before one works.
std::optional<KernelRecord> tune_pack(const Executor& executor, const cl::CommandQueue& queue,
                                      const SpaceLimits& limits, double seconds);

// The first element that a pack kernel gets wrong, or nullopt. Extents that no tile divides, gaps
// and offsets included.
std::optional<Rejection> verify_pack(const Executor& executor, const cl::CommandQueue& queue,
                                     LoadedKernel& kernel);

}  // namespace tilewright
