// Which choices make one kernel that turns the rows of a matrix into probabilities?
#pragma once

#include <compare>

#include "codelets/text/compile_forms.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

struct SoftmaxPoint {
  Precision precision = Precision::kSingle;  // of the matrix
  Layout layout;                             // of the matrix before and after: demanded
  int vector_width = 1;                      // floats per load and store, along a row
  int work_group_m = 1;                      // rows of a work-group
  int work_group_n = 1;  // work-items that share a row; above 1 they meet in local memory
  Activation activation =
      Activation::kIdentity;  // kLogSoftmax: logarithms of the probabilities; demanded
  Exponential exp = Exponential::kExp;
  Math math = Math::kExact;

  auto operator<=>(const SoftmaxPoint&) const = default;
};

}  // namespace tilewright
