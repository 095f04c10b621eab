// Parameters of a kernel that adds a bias to a matrix and applies an activation to it.
//
// The variants in chapter 9 of the thesis on neural networks on low-power GPUs are points of this
// space as far as they process a row-major matrix: along n or m (id_order), vectorised
// (vector_width), grouped (work_group_m, work_group_n), unbound (id_order = flat).
#pragma once

#include <compare>

#include "codelets/text/compile_forms.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// Points are compared member by member; the smaller point is the simpler one.
struct ActivationPoint {
  Precision precision = Precision::kSingle;  // element type of the matrix
  int tile_m = 1;                            // rows per work-item
  int tile_n = 1;                            // columns per work-item; with kFlat: elements
  int vector_width = 1;                      // elements per load and store
  int work_group_m = 1;                      // work-items per work-group along m
  int work_group_n = 1;                      // work-items along n; with kFlat: all work-items
  IdOrder id_order = IdOrder::kNM;
  Dimension bias = Dimension::kNone;
  Activation activation = Activation::kIdentity;
  Exponential exp = Exponential::kExp;
  Math math = Math::kExact;
  GroupSize group_size = GroupSize::kRequired;

  auto operator<=>(const ActivationPoint&) const = default;
};

}  // namespace tilewright
