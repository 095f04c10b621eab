// Parameters of a kernel that copies a matrix from one layout to another.
#pragma once

#include <compare>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// At least one of the two layouts is plain. `precision`, `from`, `to`, `image` and `large` are
// required; the other parameters are tuned.
struct PackPoint {
  Precision precision = Precision::kSingle;  // element type of the matrices
  Layout from = Layout::C();
  Layout to = Layout::R();
  bool image = false;  // the destination is an image
  // The kernel is meant for matrices that exceed the caches (kLargeMovedElements).
  bool large = false;
  int tile_m = 1;        // rows per work-item
  int tile_n = 1;        // columns per work-item
  int vector_width = 1;  // elements per load and store, if the layouts allow it
  int work_group_m = 1;  // work-items per work-group along rows
  int work_group_n = 1;  // work-items per work-group along columns
  IdOrder id_order = IdOrder::kNM;
  bool local = false;  // the tile of a work-group is copied through local memory
  // Vectors are written with non-temporal stores if the compiler supports them.
  bool streaming = false;

  auto operator<=>(const PackPoint&) const = default;
};

}  // namespace tilewright
