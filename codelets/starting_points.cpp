#include "codelets/starting_points.hpp"

#include <fmt/format.h>

namespace tilewright {
namespace {

// Through local memory, 32 work-items side by side over the tile: an NVIDIA H200's best, and
// smaller ones for smaller GPUs and matrices (the last is what RaijinCL found best on Fermi).
constexpr const char* kLocalMemory[] = {
    "tile_m=8 tile_n=8 unroll_k=16 vector_width=4 work_group_m=16 work_group_n=16 assignment=offset "
    "lanes_m=8 lanes_n=4 cache_block_k=16 local_a=yes local_b=yes prefetch=clamped access=aligned",
    "tile_m=8 tile_n=8 unroll_k=16 vector_width=4 work_group_m=16 work_group_n=16 assignment=offset "
    "lanes_m=8 lanes_n=4 cache_block_k=16 local_a=yes local_b=yes local_buffers=2 local_pad=4 "
    "prefetch=clamped access=aligned",
    "tile_m=8 tile_n=16 unroll_k=16 vector_width=4 work_group_m=16 work_group_n=8 assignment=offset "
    "lanes_m=8 lanes_n=4 cache_block_k=16 local_a=yes local_b=yes prefetch=clamped access=aligned",
    "tile_m=8 tile_n=8 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=8 assignment=offset "
    "lanes_m=8 lanes_n=4 cache_block_k=16 local_a=yes local_b=yes prefetch=clamped access=aligned",
    "tile_m=4 tile_n=4 unroll_k=16 vector_width=4 work_group_m=16 work_group_n=16 assignment=offset "
    "lanes_m=8 lanes_n=4 cache_block_k=16 local_a=yes local_b=yes prefetch=clamped access=aligned",
    "tile_m=4 tile_n=4 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=8 assignment=offset "
    "cache_block_k=16 local_a=yes local_b=yes prefetch=clamped access=aligned",
    "tile_m=8 tile_n=4 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=8 "
    "assignment=offset cache_block_k=16 local_a=yes local_b=yes",
    // Small and deep products: k among work-groups.
    "tile_m=4 tile_n=4 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=8 assignment=offset "
    "split_k=8 cache_block_k=16 local_a=yes local_b=yes prefetch=clamped access=aligned",
    "tile_m=8 tile_n=8 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=8 assignment=offset "
    "lanes_m=8 lanes_n=4 split_k=4 cache_block_k=16 local_a=yes local_b=yes prefetch=clamped "
    "access=aligned"};

// Straight from global memory, tiles as large as the registers of a CPU: 512-bit, 256-bit and
// 128-bit vectors.
constexpr const char* kRegisters[] = {
    "tile_m=8 tile_n=32 vector_width=16 work_group_m=16",
    "tile_m=6 tile_n=32 vector_width=16 work_group_m=16 access=aligned addressing=indices",
    "tile_m=6 tile_n=48 vector_width=16 work_group_m=16 access=aligned addressing=indices",
    "tile_m=8 tile_n=48 vector_width=16 work_group_m=16 access=aligned",
    "tile_m=8 tile_n=32 vector_width=16 work_group_m=16 access=aligned addressing=indices",
    "tile_m=6 tile_n=64 vector_width=16 work_group_m=256 group_order=tiled access=aligned",
    "tile_m=12 tile_n=32 unroll_k=4 vector_width=16 work_group_m=8",
    "tile_m=8 tile_n=48 vector_width=16",
    "tile_m=8 tile_n=32 vector_width=16 split_k=2",
    "tile_m=6 tile_n=16 unroll_k=2 vector_width=8 work_group_m=16",
    "tile_m=4 tile_n=16 unroll_k=4 vector_width=8 work_group_m=16",
    "tile_m=8 tile_n=8 unroll_k=2 vector_width=4 work_group_m=16",
    "tile_m=4 tile_n=8 tile_k=4 vector_width=4 work_group_m=4 work_group_n=8",
    "tile_m=4 tile_n=4 tile_k=4 vector_width=4 work_group_m=8 work_group_n=8",
    "tile_m=4 tile_n=4 tile_k=4 vector_width=4 work_group_m=8 work_group_n=8 access=aligned "
    "addressing=indices",
    "tile_n=4 tile_k=4 vector_width=4 work_group_m=8 work_group_n=8 access=aligned "
    "addressing=indices"};

// Where B is contiguous along k: sums along k.
constexpr const char* kInnerProducts[] = {
    "tile_m=4 tile_n=4 tile_k=16 vector_width=16 inner=partial",
    "tile_m=6 tile_n=2 tile_k=16 vector_width=16 inner=partial",
    "tile_m=8 tile_n=2 tile_k=16 vector_width=16 inner=partial",
    "tile_m=4 tile_n=2 tile_k=8 vector_width=8 inner=partial",
    "tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=partial work_group_m=4 work_group_n=16",
    "tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot work_group_m=4 work_group_n=16 "
    "access=aligned addressing=indices",
    "tile_m=4 tile_n=4 tile_k=4 vector_width=4 inner=dot work_group_m=8 work_group_n=8"};

// Panels, as wide as the tile, so that each k step reads one line of memory: vectors of 512, 256
// and 128 bits.
constexpr const char* kPanels[] = {
    "layout_a=R12x1C layout_b=C1x32R tile_m=12 tile_n=32 vector_width=16 access=aligned "
    "addressing=indices",
    "layout_a=R12x1C layout_b=C1x32R tile_m=12 tile_n=32 vector_width=16",
    "layout_a=R8x1C layout_b=C1x32R tile_m=8 tile_n=32 vector_width=16 work_group_m=16 "
    "access=aligned addressing=indices",
    "layout_b=C1x32R tile_m=8 tile_n=32 vector_width=16 work_group_m=16",
    "layout_a=R6x1C layout_b=C1x16R tile_m=6 tile_n=16 vector_width=8 work_group_m=8 "
    "access=aligned addressing=indices",
    "layout_a=R8x1C layout_b=C1x8R tile_m=8 tile_n=8 tile_k=2 vector_width=4 work_group_m=8 "
    "work_group_n=8 access=aligned",
    "layout_a=R4x1C layout_b=C1x4R tile_m=4 tile_n=4 tile_k=8 vector_width=4 work_group_m=8 "
    "work_group_n=8 access=aligned addressing=indices"};

template <std::size_t N>
void add(std::vector<ParameterPoint>& points, const char* const (&texts)[N], Op op,
         const SpaceLimits& limits) {
  for (const char* text : texts) {
    const ParameterPoint point = parse_point(fmt::format("gemm op={} {}", to_text(op), text));
    if (broken_rule(point, limits) == nullptr) points.push_back(point);
  }
}

}  // namespace

std::vector<ParameterPoint> starting_points(Op op, const SpaceLimits& limits) {
  std::vector<ParameterPoint> points;
  add(points, kLocalMemory, op, limits);
  add(points, kRegisters, op, limits);
  if (layout_b_of(op) == Layout::C()) add(points, kInnerProducts, op, limits);
  return points;
}

std::vector<ParameterPoint> packed_starting_points(const SpaceLimits& limits) {
  std::vector<ParameterPoint> points;
  add(points, kPanels, Op::kNN, limits);
  return points;
}

}  // namespace tilewright
