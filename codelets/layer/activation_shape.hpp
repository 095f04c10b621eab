// How do the vectors of an activation kernel lie in its tile?
//
// Internal to codelets; shared by the emitter and the rules of activation.
#pragma once

#include "codelets/point/activation_point.hpp"

namespace tilewright {

// The tile of a work-item, as lines of vectors: rows where the layout holds more neighbours of a
// row side by side than of a column, else columns.
struct ActivationShape {
  bool along_row = true;
  int lines = 1;
  int length = 1;  // floats in a line
  int run = 1;     // floats that lie side by side in memory, in runs that begin at multiples of it
};

inline ActivationShape shape_of(const ActivationPoint& p) {
  const int row = p.layout.run_along_row();
  const int column = p.layout.run_down_column();
  if (row >= column) return {true, p.tile_m, p.tile_n, row};
  return {false, p.tile_n, p.tile_m, column};
}

}  // namespace tilewright
