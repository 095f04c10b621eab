// Does a reduce kernel add up the parts of a product, and touch nothing else?
#pragma once

#include <optional>

#include "runtime/device/executor.hpp"

namespace tilewright {

// The first element that a reduce kernel gets wrong, or nullopt. Extents that no vector divides,
// gaps and offsets included; with beta = 0 and C full of NaN, and with alpha and beta that matter.
std::optional<Rejection> verify_reduce(const Executor& executor, const cl::CommandQueue& queue,
                                       LoadedKernel& kernel);

}  // namespace tilewright
