// Models the cache lines that the work-items of a kernel use at the same time, and when they miss
// the cache.
//
// The Mali-T600 paper counts the cache lines that the work-items of a compute unit use together
// (1.4.6, 1.4.7: Table 1.2 for its two kernels), and the k steps that must lie between two barriers
// that keep the work-items together (1.4.8). The thesis on low-power GPUs counts how many lines a
// work-group misses at once and how often, and how layouts change this (chapter 8, Table 8.1). This
// module generalises both to all tiles, work-groups and layouts. All functions are pure. They
// assume that operands are aligned to cache lines, that work-items run in lockstep, and that the
// cache keeps the lines that were used last.
#pragma once

#include <cstdint>

#include "codelets/point/gemm_point.hpp"

namespace tilewright {

// Cache lines of A and B that are in use at the same time.
struct CacheFootprint {
  int k_steps = 0;  // length of a window in k steps; after it, all lines of the window are used up
  double a = 0.0;   // lines of A in a window: elements divided by the elements per line
  double b = 0.0;   // the same for B
  // lines of which at least a part is used; more than a + b if a line is wider than what the
  // work-items need at the same time
  int touched = 0;
  int streams = 0;  // places, a leading dimension apart, that are read concurrently
  double lines() const { return a + b; }
};

// Computes the footprint of `residents` work-items (at least one work-group) on one compute unit,
// for cache lines of `line_elements` elements. Resident work-groups are consecutive in the point's
// group_order and share what they read. For the points blockedNN and blockedNT with work-groups of
// any shape, 128 residents and lines of 16 floats, lines() is Table 1.2 of the Mali-T600 paper.
CacheFootprint cache_footprint(const GemmPoint& point, int residents, int line_elements);

// How one work-group misses the cache.
struct MissPattern {
  double bulk = 0.0;    // maximum number of lines that miss at once
  double period = 0.0;  // iterations over tile_k between two such moments, at least 1
};
// With lines of 16 floats this is Table 8.1 of the thesis for its three kernels.
MissPattern miss_pattern(const GemmPoint& point, int line_elements);

// Minimum number of k steps between two barriers for which a barrier costs less than the loads:
// more than 2 work_items / (tile_m + tile_n) (Mali-T600 paper, 1.4.8; in k steps instead of tiles).
double min_cache_block_k(const GemmPoint& point);

}  // namespace tilewright
