// Parameters of a kernel that applies softmax to the rows of a matrix.
#pragma once

#include <compare>

#include "codelets/text/compile_forms.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// Points are compared member by member; the smaller point is the simpler one.
struct SoftmaxPoint {
  Precision precision = Precision::kSingle;  // element type of the matrix
  int vector_width = 1;                      // elements per load and store, along a row
  int work_group_m = 1;                      // rows per work-group
  // work-items per row; more than 1 exchange their results through local memory
  int work_group_n = 1;
  // kIdentity: probabilities; kLogSoftmax: their logarithms. Demanded.
  Activation activation = Activation::kIdentity;
  Exponential exp = Exponential::kExp;
  Math math = Math::kExact;

  auto operator<=>(const SoftmaxPoint&) const = default;
};

}  // namespace tilewright
