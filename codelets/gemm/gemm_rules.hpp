// The rules of GEMM kernels, which are split into two files.
//
// Internal to codelets.
#pragma once

#include "codelets/point/rules.hpp"

namespace tilewright {

// The point as a GemmPoint; it must be one.
inline const GemmPoint& gemm(const ParameterPoint& point) {
  return std::get<GemmPoint>(point);
}

// Rules on how work-items access operands.
std::vector<Rule> gemm_memory_rules();

}  // namespace tilewright
