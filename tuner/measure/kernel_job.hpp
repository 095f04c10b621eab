// Creates the launch job that times a kernel of any role.
#pragma once

#include <variant>

#include "tuner/measure/launch_job.hpp"
#include "tuner/measure/operand_pool.hpp"

namespace tilewright {

// Creates a job that runs the kernel on operands of the pool. A product kernel computes `shape`.
// Kernels of other roles need shape.k == 1 and process shape.m x shape.n elements, except reduction
// kernels, which always add the same number of parts of a fixed size. Returns a KernelError of
// kind kLimits if the kernel does not support the shape. Pool and kernel must outlive the job.
std::variant<LaunchJob, KernelError> make_job(OperandPool& pool, LoadedKernel& kernel,
                                              const GemmShape& shape);

}  // namespace tilewright
