// What follows from the choices of a gemv point?
//
// Internal to codelets; shared by the emitter and the rules of gemv. The wide operand (A where n is
// narrow, B where m is) is streamed; it is x in the text, and the narrow one y. A line of an
// operand is one of its rows or columns along k.
#pragma once

#include <cstdint>

#include "codelets/point/gemv_point.hpp"

namespace tilewright {

struct GemvShape {
  bool narrow_n = true;  // n is narrow, else m
  bool x_along_k = true;
  bool y_along_k = true;
  int steps = 1;  // k steps of one vector of x: all of it along k, one across
  int tile_m = 1;
  int tile_n = 1;
  int vectors = 1;  // vectors of x for such steps: one for each line, or all lines' side by side

  // Names in the text: extents of the two dimensions, first index of the tile in the wide one.
  const char* wide_extent() const { return narrow_n ? "m" : "n"; }
  const char* narrow_extent() const { return narrow_n ? "n" : "m"; }
  const char* first() const { return narrow_n ? "row" : "col"; }
};
GemvShape shape_of(const GemvPoint&);

// Floats of a work-item in registers, and multiply-adds of one turn of its loop.
int gemv_floats_held(const GemvPoint&);
int gemv_statements(const GemvPoint&);

int gemv_work_items(const GemvPoint&);
// Local memory of a work-group: the sums of its work-items, where they share k.
std::int64_t gemv_local_bytes(const GemvPoint&);

}  // namespace tilewright
