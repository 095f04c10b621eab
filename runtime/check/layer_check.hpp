// The part of kernel_check.hpp for kernels that run between the products of a network (kActivation,
// kSoftmax), under the same conditions.
#pragma once

#include <optional>

#include "runtime/device/executor.hpp"

namespace tilewright {

// They run on matrices with and without edges, padding and gaps, also in place. Results are
// compared with the host's in double precision, padding with zeros, and surrounding memory with its
// previous contents.
std::optional<KernelError> check_activation(const Executor& executor, const cl::CommandQueue& queue,
                                            LoadedKernel& kernel);
std::optional<KernelError> check_softmax(const Executor& executor, const cl::CommandQueue& queue,
                                         LoadedKernel& kernel);

}  // namespace tilewright
