// The part of kernel_check.hpp for auxiliary kernels: packing, reduction, activation and softmax.
#pragma once

#include <optional>

#include "runtime/device/executor.hpp"

namespace tilewright {

// Runs the kernel on each case of a table: matrices with and without edges, padding and gaps, on
// cache lines, in place, with several work-groups. All of Y is compared with the host's results,
// padding with zeros, and surrounding memory with its previous contents. nullopt for other roles.
std::optional<KernelError> check_auxiliary(const Executor& executor, const cl::CommandQueue& queue,
                                           LoadedKernel& kernel);

}  // namespace tilewright
