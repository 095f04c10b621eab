// Does a kernel do on this device what its record says?
//
// One small awkward problem for each role, for kernels that were verified under other software than
// that of today: more than a work-group where that is small, edges, offsets, gaps, memory that must
// not be touched on all sides. The tuner's verification is the thorough one; this one takes
// milliseconds, without the time in which a driver compiles.
#pragma once

#include <optional>

#include "runtime/device/executor.hpp"

namespace tilewright {

// What is wrong with a kernel of any role, or nullopt. Enqueues on the queue, which must be of the
// executor's context, and waits. Memory that cannot be had is a rejection, too (lacks_memory() of
// its code). Thread-safe for different kernels.
std::optional<Rejection> check_kernel(const Executor& executor, const cl::CommandQueue& queue,
                                      LoadedKernel& kernel);

// The part of it that tells m from n in the work-groups of a product: a shallow one on
// check_extents(). Throws Error if the device has no memory for it.
std::optional<Rejection> check_groups(const Executor& executor, const cl::CommandQueue& queue,
                                      LoadedKernel& kernel);

}  // namespace tilewright
