// Which choices make one kernel that applies a bias and an activation to a matrix?
//
// The variants of the low-power neural network thesis, chapter 9, are points of one space: row- or
// column-major (layout, id_order), vectorised (vector_width), grouped (the work-group), Morton (a
// layout of chunks), unbound (id_order = flat).
#pragma once

#include <compare>

#include "codelets/text/compile_forms.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

struct ActivationPoint {
  Precision precision = Precision::kSingle;  // of the matrix
  Layout layout;                             // of the matrix before and after: demanded
  int tile_m = 1;                            // rows per work-item
  int tile_n = 1;                            // columns per work-item; kFlat: elements
  int vector_width = 1;                      // floats per load and store
  int work_group_m = 1;                      // work-items of a work-group along m
  int work_group_n = 1;                      // along n; kFlat: all of them
  IdOrder id_order = IdOrder::kNM;
  Dimension bias = Dimension::kNone;
  Activation activation = Activation::kIdentity;
  Exponential exp = Exponential::kExp;
  Math math = Math::kExact;
  GroupSize group_size = GroupSize::kRequired;

  auto operator<=>(const ActivationPoint&) const = default;
};

}  // namespace tilewright
