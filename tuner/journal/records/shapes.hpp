// Counts the floating-point operations of a product.
#pragma once

#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

// 2 m n k.
inline double flops(const GemmShape& shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
         static_cast<double>(shape.k);
}

}  // namespace tilewright
