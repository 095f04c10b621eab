// Which points are tried for what runs beside products, and on what?
//
// Pure: no device.
#pragma once

#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "codelets/point/validity.hpp"
#include "tuner/records/kernel_id.hpp"

namespace tilewright {

// Points of the demand's codelet with what the demand names, in the order in which they shall be
// tried, without repeats: those of `first`, some that are known to do well, random ones.
std::vector<ParameterPoint> auxiliary_candidates(const ParameterPoint& demand,
                                                 const std::vector<KernelId>& first,
                                                 const SpaceLimits& limits);

// Rows and columns of the matrix on which the kernel of this point is timed.
int moved_extent(const ParameterPoint& point);

}  // namespace tilewright
