// The rules of GEMM kernels. gemm_memory_rules.cpp has the tables below; all other rules, and all
// that depend on a device, are in gemm_rules.cpp.
//
// Internal to codelets.
#pragma once

#include "codelets/point/rules.hpp"

namespace tilewright {

// The point as a GemmPoint; it must be one.
inline const GemmPoint& gemm(const ParameterPoint& point) {
  return std::get<GemmPoint>(point);
}

std::vector<Rule> image_rules();
// Rules on tiles of operands in local memory, and on the barriers between the tiles.
std::vector<Rule> local_memory_rules();
// Rules on alignment and addressing.
std::vector<Rule> access_rules();

}  // namespace tilewright
