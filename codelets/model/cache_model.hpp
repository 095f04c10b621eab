// What do the work-items of a kernel need in the cache at a time, and when do they miss?
//
// The Mali-T600 paper counts the cache lines that the work-items of a compute unit walk over
// together (1.4.6, 1.4.7: Table 1.2 for its two kernels), and the steps of k that must lie between
// two barriers that keep them together (1.4.8). The low-power thesis counts how many lines a
// work-group misses at once and how often, and how layouts change that (chapter 8, Table 8.1). Here
// for all tiles, work-groups and layouts. Pure functions; all assume that operands are aligned to
// cache lines, work-items in step, and a cache that keeps what it was given last.
#pragma once

#include <cstdint>

#include "codelets/point/gemm_point.hpp"

namespace tilewright {

// Cache lines of A and B that are used side by side.
struct CacheFootprint {
  int k_steps = 0;  // after which all of these lines are used up: one window
  double a = 0.0;   // lines of A in a window, whole ones: elements over those per line
  double b = 0.0;   // of B
  int touched = 0;  // lines of which any part is needed: more, where a line is wider than what
                    // work-items need side by side
  int streams = 0;  // places, a leading dimension apart, that are read side by side
  double lines() const { return a + b; }
};

// Of `residents` work-items (at least one work-group) on one compute unit whose cache lines hold
// `line_elements` elements. Work-groups that are there together follow each other in the point's
// group_order, and share what they read. For the points blockedNN and blockedNT with work-groups of
// any shape, 128 residents and lines of 16 floats, lines() is Table 1.2 of the Mali-T600 paper.
CacheFootprint cache_footprint(const GemmPoint& point, int residents, int line_elements);

// When one work-group misses the cache.
struct MissPattern {
  double bulk = 0.0;    // lines that are missed at once, at worst
  double period = 0.0;  // turns over tile_k between two such times, at least 1
};
// With lines of 16 floats Table 8.1 of the thesis, for its three kernels.
MissPattern miss_pattern(const GemmPoint& point, int line_elements);

// Steps of k that must lie between two barriers for them to cost less than the loads between: more
// than 2 work_items / (tile_m + tile_n) (Mali-T600 paper, 1.4.8, in steps of k, not of a tile).
double least_cache_block_k(const GemmPoint& point);

}  // namespace tilewright
