// The type in which the kernel of a point computes.
#pragma once

#include "codelets/point/parameter_point.hpp"

namespace tilewright {

// Half precision for a gemm point with accumulate_k, otherwise the type of sums.
inline Precision arithmetic_precision(const ParameterPoint& point) {
  const auto* gemm = std::get_if<GemmPoint>(&point);
  return arithmetic_precision(point_precision(point), gemm == nullptr ? 0 : gemm->accumulate_k);
}

}  // namespace tilewright
