// The GEMM codelet's rules stand in two files.
//
// Internal to codelets.
#pragma once

#include "codelets/point/rules.hpp"

namespace tilewright {

inline const GemmPoint& gemm(const ParameterPoint& point) {
  return std::get<GemmPoint>(point);
}

// How operands come to the work-items.
std::vector<Rule> gemm_memory_rules();

}  // namespace tilewright
