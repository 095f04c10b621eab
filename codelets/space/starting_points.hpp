// Where does a search begin?
#pragma once

#include <vector>

#include "codelets/point/validity.hpp"

namespace tilewright {

// Points that did well on devices that were measured, for unpacked operands that lie as `op` says:
// a search tries those first that are valid on the device, and goes on from the best.
std::vector<ParameterPoint> starting_points(Op op, const SpaceLimits& limits);

// The same for kernels whose operands are packed, for whatever op.
std::vector<ParameterPoint> packed_starting_points(const SpaceLimits& limits);

// The same for kernels for products that are narrow in that dimension of C (kM or kN): gemv.
std::vector<ParameterPoint> narrow_starting_points(Op op, Dimension narrow,
                                                   const SpaceLimits& limits);

}  // namespace tilewright
