// Parameters of a kernel for products with few columns or few rows (matrix-vector products and
// similar).
#pragma once

#include <compare>

#include "codelets/point/gemm_point.hpp"

namespace tilewright {

// One dimension of C is narrow (`narrow`), the other one is wide. Layouts are plain: the wide
// operand is read only once, so that packing it never pays.
struct GemvPoint {
  Precision precision = Precision::kSingle;  // element type of the matrices
  Layout layout_a;
  Layout layout_b;
  Dimension narrow = Dimension::kN;  // the dimension of C that fits into one tile
  int tile_narrow = 1;               // maximum extent of the narrow dimension
  int tile_wide = 1;                 // rows or columns of C per work-item along the wide dimension
  int tile_k = 1;                    // k steps per loop iteration
  int vector_width = 1;              // elements per load of the wide operand
  int work_group_k = 1;              // work-items that divide the k steps of a tile among them
  int work_group_wide = 1;           // work-items per work-group along the wide dimension
  bool k_first = true;  // global id 0 counts along k; otherwise along the wide dimension
  MultiplyAdd multiply_add = MultiplyAdd::kExpression;
  Dimension bias = Dimension::kNone;
  Activation activation = Activation::kIdentity;
  Exponential exp = Exponential::kExp;
  Math math = Math::kExact;
  GroupSize group_size = GroupSize::kRequired;

  auto operator<=>(const GemvPoint&) const = default;
};

}  // namespace tilewright
