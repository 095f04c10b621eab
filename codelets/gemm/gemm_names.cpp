#include "codelets/gemm/gemm_names.hpp"

namespace tilewright {

std::vector<Meaning> gemm_names() {
  return {
      {{"row", "col"}, "first element of the work-item's tile of C"},
      {{"group_row", "group_col"}, "that of its work-group"},
      {{"in_row", "in_col"}, "the tile's place in its work-group's"},
      {{"i0", "j0"}, "where groups of it begin, inside C"},
      {{"k_first", "k_end"}, "the work-item's part of k"},
      {{"p"}, "k step"},
      {{"a0", "b0"}, "places in A and B"},
      {{"step_a", "step_b"}, "distance of two k steps"},
      {{"k_a", "k_b"}, "distance along k"},
      {{"tile_a", "tile_b"}, "k tiles in local memory"},
      {{"from_a0", "from_b0"}, "places in A and B that are fetched for them"},
      {{"next_a0", "next_b0"}, "what was fetched"},
      {{"put_a", "put_b"}, "place for it in a k tile"},
      {{"la", "lb"}, "places in k tiles that are read"},
      {{"a0_0", "b0_0"}, "loaded, numbered along m or n, then k"},
      {{"x0_0", "y0_0"}, "put together of loaded ones"},
      {{"c0_0"}, "sums, numbered along m, then n"},
      {{"h0_0"}, "sums in halfs"},
      {{"s0_0"}, "sums of a vector's lanes"},
      {{"share"}, "the work-item's number among those that share k"},
      {{"sums"}, "sums of other shares, in local memory"},
      {{"to", "C0"}, "a line of C"},
  };
}

}  // namespace tilewright
