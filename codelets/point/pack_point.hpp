// Which choices make one kernel that brings a matrix from one layout into another?
#pragma once

#include <compare>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// From or to a plain layout; `precision`, `from`, `to`, `image` and `large` are
// demanded, the rest is tuned.
struct PackPoint {
  Precision precision = Precision::kSingle;  // of matrices
  Layout from = Layout::C();
  Layout to = Layout::R();
  bool image = false;    // the destination is an image
  bool large = false;    // for matrices that caches do not hold (kLargeMovedElements)
  int tile_m = 1;        // rows that a work-item moves
  int tile_n = 1;        // columns that a work-item moves
  int vector_width = 1;  // floats per load and store, where the layouts allow them
  int work_group_m = 1;  // work-items of a work-group along rows
  int work_group_n = 1;  // work-items of a work-group along columns
  IdOrder id_order = IdOrder::kNM;
  bool local = false;      // the work-group's tile goes through local memory
  bool streaming = false;  // vectors are written past the caches, where the compiler can

  auto operator<=>(const PackPoint&) const = default;
};

}  // namespace tilewright
