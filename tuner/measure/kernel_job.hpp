// What is launched of a kernel, whatever its role, when it is timed?
#pragma once

#include <variant>

#include "tuner/measure/launch_job.hpp"
#include "tuner/measure/open_device.hpp"

namespace tilewright {

// The kernel on operands of the seed's pool: a product of the shape; of others, which want k = 1,
// as many rows and columns; of what adds up parts always the same. A rejection of stage kLimits: it
// cannot take the shape. Device and kernel must outlive the job.
std::variant<LaunchJob, Rejection> job_of(OpenDevice& open, LoadedKernel& kernel,
                                          const GemmShape& shape, std::uint64_t seed);

}  // namespace tilewright
