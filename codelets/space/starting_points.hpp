// The points at which a search starts.
//
// They are derived from facts about the device by rules. The table in starting_points.cpp lists the
// rules with their reasons. No rule refers to a specific device, and none was chosen because it was
// fast on one.
#pragma once

#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "profiles/device_info.hpp"

namespace tilewright {

// Starting points for unpacked operands with the layouts of `op`; all are valid on the device. A
// search tries them in this order and continues from the best.
std::vector<ParameterPoint> starting_points(Op op, const DeviceInfo& device);

// Starting points with packed operands. They are used for every op.
std::vector<ParameterPoint> packed_starting_points(const DeviceInfo& device);

// Starting points of gemv kernels, for products that are narrow along `narrow` (kM or kN).
std::vector<ParameterPoint> narrow_starting_points(Op op, Dimension narrow,
                                                   const DeviceInfo& device);

}  // namespace tilewright
