// What is launched of a kernel, whatever its role, when it is timed?
#pragma once

#include <variant>

#include "tuner/measure/launch_job.hpp"
#include "tuner/measure/operand_pool.hpp"

namespace tilewright {

// The kernel on operands of the pool: a product of the shape; of others, which want k = 1, as many
// rows and columns; of what adds up parts always the same. A rejection of stage kLimits: it cannot
// take the shape. Pool and kernel must outlive the job.
std::variant<LaunchJob, Rejection> job_of(OperandPool& pool, LoadedKernel& kernel,
                                          const GemmShape& shape);

}  // namespace tilewright
