// Parameters of a kernel that adds up the partial products of a split-K GEMM.
#pragma once

#include <compare>

#include "codelets/text/compile_forms.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// Points are compared member by member; the smaller point is the simpler one.
struct ReducePoint {
  Precision precision = Precision::kSingle;  // element type of the matrices
  int vector_width = 1;                      // columns of C per work-item
  int work_group_m = 1;
  int work_group_n = 1;
  Dimension bias = Dimension::kNone;
  Activation activation = Activation::kIdentity;
  Exponential exp = Exponential::kExp;

  auto operator<=>(const ReducePoint&) const = default;
};

}  // namespace tilewright
