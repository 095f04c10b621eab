// Where does a search begin?
//
// With points that follow from facts of the device by rule: starting_points.cpp has the table, with
// the reason of each rule. No machine is named, and nothing here was chosen because it won on one.
#pragma once

#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "profiles/device_info.hpp"

namespace tilewright {

// For unpacked operands that lie as `op` says; valid on the device. A search tries them in this
// order, and goes on from the best.
std::vector<ParameterPoint> starting_points(Op op, const DeviceInfo& device);

// The same for kernels whose operands are packed, for whatever op.
std::vector<ParameterPoint> packed_starting_points(const DeviceInfo& device);

// The same for kernels for products that are narrow in that dimension of C (kM or kN): gemv.
std::vector<ParameterPoint> narrow_starting_points(Op op, Dimension narrow,
                                                   const DeviceInfo& device);

}  // namespace tilewright
