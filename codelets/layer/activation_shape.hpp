// How vectors are arranged in the tile of an activation kernel.
//
// Internal to codelets; used by the generator and the rules.
#pragma once

#include "codelets/point/activation_point.hpp"

namespace tilewright {

// The tile of a work-item as lines of vectors. The lines are rows if the layout keeps more
// neighbours of a row contiguous than of a column, and columns otherwise.
struct ActivationShape {
  bool along_row = true;
  int lines = 1;
  int length = 1;  // elements per line
  int run = 1;     // contiguous elements in memory; runs start at multiples of this length
};

// Derives the shape from the point's layout and tile.
inline ActivationShape activation_shape(const ActivationPoint& p) {
  const int row = p.layout.run_along_row();
  const int column = p.layout.run_down_column();
  if (row >= column) return {true, p.tile_m, p.tile_n, row};
  return {false, p.tile_n, p.tile_m, column};
}

}  // namespace tilewright
