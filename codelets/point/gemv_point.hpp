// Which choices make one kernel for products with few columns or rows?
#pragma once

#include <compare>

#include "codelets/point/gemm_point.hpp"

namespace tilewright {

// The wide dimension of C is m where n is narrow, and n where m is. Plain layouts only: the wide
// operand is read once, so packing it can never pay.
struct GemvPoint {
  Precision precision = Precision::kSingle;  // of matrices
  Layout layout_a;
  Layout layout_b;
  Dimension narrow = Dimension::kN;  // the dimension of C that one tile covers whole
  int tile_narrow = 1;               // its largest extent that is served
  int tile_wide = 1;                 // rows or columns of C per work-item along the other one
  int tile_k = 1;                    // k steps per turn of the loop
  int vector_width = 1;              // floats per load of the wide operand
  int work_group_k = 1;              // work-items that share the k steps of one tile
  int work_group_wide = 1;           // work-items of a work-group along the wide dimension
  bool k_first = true;               // global id 0 runs along k, else along the wide dimension
  MultiplyAdd multiply_add = MultiplyAdd::kExpression;
  Dimension bias = Dimension::kNone;
  Activation activation = Activation::kIdentity;
  Exponential exp = Exponential::kExp;
  Math math = Math::kExact;
  GroupSize group_size = GroupSize::kRequired;

  auto operator<=>(const GemvPoint&) const = default;
};

}  // namespace tilewright
