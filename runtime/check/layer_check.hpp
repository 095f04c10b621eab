// The part of kernel_check.hpp for the kernels between a network's products (kActivation,
// kSoftmax), under the same conditions.
#pragma once

#include <optional>

#include "runtime/device/executor.hpp"

namespace tilewright {

// On matrices with and without edges, padding and gaps, on each in place, too: compared with the
// host in double precision, padding with zeros, everything around with what it was.
std::optional<Rejection> check_activation(const Executor& executor, const cl::CommandQueue& queue,
                                          LoadedKernel& kernel);
std::optional<Rejection> check_softmax(const Executor& executor, const cl::CommandQueue& queue,
                                       LoadedKernel& kernel);

}  // namespace tilewright
