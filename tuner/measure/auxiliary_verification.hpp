// Does a kernel that computes no product do what it is for, and touch nothing else?
#pragma once

#include <optional>

#include "runtime/device/executor.hpp"

namespace tilewright {

// The first element that a pack kernel gets wrong, or nullopt. Extents that no tile divides, gaps
// and offsets included; and once with lines that begin at multiples of 64 bytes.
std::optional<Rejection> verify_pack(const Executor& executor, const cl::CommandQueue& queue,
                                     LoadedKernel& kernel);

// The same of any role but products.
std::optional<Rejection> verify_auxiliary(const Executor& executor, const cl::CommandQueue& queue,
                                          LoadedKernel& kernel);

}  // namespace tilewright
