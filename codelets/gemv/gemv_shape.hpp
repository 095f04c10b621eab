// Facts about a gemv kernel that are derived from its point.
//
// Internal to codelets; used by the generator and the rules. The wide operand (A if n is narrow, B
// if m is narrow) is called x in kernels and is read once; the narrow one is called y. A line of an
// operand is one of its rows or columns along k.
#pragma once

#include <cstdint>

#include "codelets/point/gemv_point.hpp"

namespace tilewright {

// Shape of a kernel's loads and tile.
struct GemvShape {
  bool narrow_n = true;  // n is narrow, else m
  bool x_along_k = true;
  bool y_along_k = true;
  int steps = 1;  // k steps per vector of x: its width if it runs along k, otherwise 1
  int tile_m = 1;
  int tile_n = 1;
  int vectors = 1;  // vectors of x for these steps: one per line, or one for several adjacent lines

  // Names in the kernel: the extents of the two dimensions, and the first index of the tile along
  // the wide one.
  const char* wide_extent() const { return narrow_n ? "m" : "n"; }
  const char* narrow_extent() const { return narrow_n ? "n" : "m"; }
  const char* first() const { return narrow_n ? "row" : "col"; }
};
GemvShape gemv_shape(const GemvPoint&);

// Elements that a work-item keeps in registers, and multiply-adds per loop iteration.
int gemv_floats_held(const GemvPoint&);
int gemv_statements(const GemvPoint&);

// Work-items per work-group.
int gemv_work_items(const GemvPoint&);
// Local memory of a work-group in bytes, for the sums of work-items that share k.
std::int64_t gemv_local_bytes(const GemvPoint&);

}  // namespace tilewright
