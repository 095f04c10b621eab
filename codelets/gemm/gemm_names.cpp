#include "codelets/gemm/gemm_names.hpp"

namespace tilewright {

std::vector<Meaning> gemm_names() {
  return {
      {{"row", "col"}, "first row and column of this work-item's tile of C"},
      {{"group_row", "group_col"}, "first row and column of the work-group's tile"},
      {{"in_row", "in_col"}, "position of the tile in the work-group's tile"},
      {{"i0", "j0"}, "first row or column of each part of the tile, moved inside C"},
      {{"sharer"}, "number of the work-group among those that share tiles; negative: it does not"},
      {{"tile"}, "number of the work-group's tile"},
      {{"own_part"}, "number of the part of the tile that the work-group stores"},
      {{"k_first", "k_end"}, "range of k of this work-item"},
      {{"p"}, "k step"},
      {{"a0", "b0"}, "addresses in A and B"},
      {{"step_a", "step_b"}, "distance between k steps"},
      {{"k_a", "k_b"}, "distance along k"},
      {{"tile_a", "tile_b"}, "tiles of A and B in local memory"},
      {{"from_a0", "from_b0"}, "addresses to load from for local memory"},
      {{"next_a0", "next_b0"}, "elements loaded for local memory"},
      {{"put_a", "put_b"}, "position in the local tile to store them"},
      {{"la", "lb"}, "addresses in the local tiles"},
      {{"a0_0", "b0_0"}, "loaded elements, by index along m or n, then along k"},
      {{"x0_0", "y0_0"}, "vectors combined from loaded elements"},
      {{"c0_0"}, "sums, by index along m, then along n"},
      {{"h0_0"}, "half-precision sums"},
      {{"s0_0"}, "sums of the lanes of a vector"},
      {{"share"}, "number of the part of k that this work-item computes"},
      {{"sums"}, "partial sums in local memory, one set for each part of k"},
      {{"to", "C0"}, "address in a line of C"},
  };
}

}  // namespace tilewright
