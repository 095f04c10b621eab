// Where does a search begin?
//
// With points that follow from facts of the device by rule: starting_points.cpp has the table, with
// the reason of each rule. No machine is named, and nothing here was chosen because it won on one.
#pragma once

#include <vector>

#include "codelets/model/merit.hpp"
#include "codelets/point/validity.hpp"

namespace tilewright {

// All that the rules look at.
struct StartingFacts {
  SpaceLimits limits;
  DeviceHints hints;
  int compute_units = 0;  // 0: unknown
};

// For unpacked operands that lie as `op` says; valid on the device. A search tries them in this
// order, and goes on from the best.
std::vector<ParameterPoint> starting_points(Op op, const StartingFacts& facts);

// The same for kernels whose operands are packed, for whatever op.
std::vector<ParameterPoint> packed_starting_points(const StartingFacts& facts);

// The same for kernels for products that are narrow in that dimension of C (kM or kN): gemv.
std::vector<ParameterPoint> narrow_starting_points(Op op, Dimension narrow,
                                                   const StartingFacts& facts);

}  // namespace tilewright
