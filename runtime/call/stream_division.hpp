// How a kernel with stream_k divides a product among its work-groups.
//
// Work-groups run in waves of stream_k work-groups per compute unit. The rows of tiles that fit
// into whole waves are computed by one work-group for each tile. The k steps of the remaining tiles
// are divided evenly among the work-groups of one more wave, so that no compute unit is idle while
// the last tiles are computed. A tile then has several parts, which a reduce kernel adds up.
//
// Tiles are divided at a row, although more whole tiles would fit into the last wave: a whole tile
// in a row of parts has zeros as its other parts, and to store them takes long (on an H200 11 us
// for each part, where the product takes 85 us).
#pragma once

#include <cstdint>

#include "profiles/kernel_record.hpp"
#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

// Numbers of tiles (each that of one work-group), work-groups and parts.
struct StreamDivision {
  std::int64_t tiles_m = 0;
  std::int64_t tiles_n = 0;
  std::int64_t direct_tiles_m = 0;  // rows of whole tiles, which are stored in C
  // The other tiles are shared by this many work-groups and have at most num_parts parts; exactly
  // as many if sharing_groups = shared_tiles() * num_parts.
  std::int64_t sharing_groups = 1;
  std::int64_t num_parts = 2;
  double waves = 0.0;                 // that whole tiles fill; rounded up if no tile is shared
  std::int64_t first_shared_row = 0;  // row of C from which on the reduce kernel writes it

  std::int64_t whole_tiles() const { return direct_tiles_m * tiles_n; }
  std::int64_t shared_tiles() const { return (tiles_m - direct_tiles_m) * tiles_n; }
  // Work-groups of the launch.
  std::int64_t groups() const { return whole_tiles() + (shared_tiles() > 0 ? sharing_groups : 0); }
  // Largest share of a tile's k steps that a sharing work-group computes; above 1: of several
  // tiles.
  double share() const;
};

// The parts of a product that a reduce kernel adds up: `count` matrices with the rows of C from
// first_row on. count = 0: the kernel stores C itself.
struct PartialProducts {
  std::int64_t first_row = 0;
  std::int64_t count = 0;
};

// The division of a product for a device that runs `groups_at_once` work-groups at a time. All
// tiles are whole if there is nothing to gain: the last wave is almost full, k is small, or C is
// narrower than the kernel's vectors.
StreamDivision divide(const KernelRecord& record, const GemmShape& shape,
                      std::int64_t groups_at_once);
// The same for a device with this many compute units.
StreamDivision divide_for_units(const KernelRecord& record, const GemmShape& shape,
                                int compute_units);
// The division without shared tiles.
StreamDivision undivided(const KernelRecord& record, const GemmShape& shape);

PartialProducts partial_products(const StreamDivision& division);

// True if kernels can count the k steps of all tiles.
bool can_divide(const KernelRecord& record, const GemmShape& shape);

}  // namespace tilewright
