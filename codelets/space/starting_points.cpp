#include "codelets/space/starting_points.hpp"

#include <fmt/format.h>

#include <limits>
#include <span>

namespace tilewright {
namespace {

// Through local memory, 32 work-items side by side over the tile: the best on an NVIDIA H200 from
// 8192 down to 512, and smaller ones for smaller GPUs (the last is what RaijinCL found best on
// Fermi).
constexpr const char* kLocalMemory[] = {
    "tile_m=8 tile_n=16 unroll_k=16 vector_width=4 work_group_m=16 work_group_n=8 "
    "assignment=offset lanes_m=8 lanes_n=4 cache_block_k=16 local_a=yes local_b=yes "
    "local_pad=4 prefetch=clamped access=aligned",
    "tile_m=8 tile_n=16 unroll_k=16 vector_width=4 work_group_m=16 work_group_n=16 "
    "assignment=offset lanes_m=4 lanes_n=4 cache_block_k=16 local_a=yes local_b=yes "
    "local_pad=4 prefetch=clamped access=aligned",
    "tile_m=8 tile_n=8 unroll_k=16 vector_width=4 work_group_m=16 work_group_n=16 "
    "assignment=offset lanes_m=8 lanes_n=4 cache_block_k=16 local_a=yes local_b=yes "
    "prefetch=clamped access=aligned",
    "tile_m=8 tile_n=8 unroll_k=16 vector_width=4 work_group_m=16 work_group_n=16 "
    "assignment=offset lanes_m=8 lanes_n=4 cache_block_k=16 local_a=yes local_b=yes "
    "local_buffers=2 local_pad=4 prefetch=clamped access=aligned",
    "tile_m=8 tile_n=4 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=16 "
    "assignment=offset lanes_m=2 cache_block_k=16 local_a=yes local_b=yes local_pad=4 "
    "prefetch=clamped access=aligned",
    "tile_m=8 tile_n=4 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=8 "
    "assignment=offset lanes_m=2 cache_block_k=32 local_a=yes local_b=yes "
    "prefetch=conditional access=aligned",
    "tile_m=4 tile_n=4 unroll_k=16 vector_width=4 work_group_m=16 work_group_n=16 "
    "assignment=offset lanes_m=8 lanes_n=4 cache_block_k=16 local_a=yes local_b=yes "
    "prefetch=clamped access=aligned",
    "tile_m=4 tile_n=4 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=8 "
    "assignment=offset cache_block_k=16 local_a=yes local_b=yes prefetch=clamped "
    "access=aligned",
    ("tile_m=8 tile_n=4 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=8 "
     "assignment=offset cache_block_k=16 local_a=yes local_b=yes")};

// The same where no vector load may assume that matrices are aligned.
constexpr const char* kUnaligned[] = {
    "tile_m=6 tile_n=4 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=16 "
    "assignment=offset lanes_m=2 cache_block_k=16 local_a=yes local_b=yes local_pad=4 "
    "prefetch=clamped access=elements",
    "tile_m=8 tile_n=4 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=16 "
    "assignment=offset lanes_m=2 lanes_n=2 cache_block_k=16 local_a=yes local_b=yes",
    "tile_m=8 tile_n=4 unroll_k=16 vector_width=2 work_group_m=4 work_group_n=16 "
    "assignment=offset lanes_n=8 group_order=morton cache_block_k=32 local_a=yes local_b=yes "
    "prefetch=conditional"};

// Small and deep products: k among work-groups, or among the work-items of one.
constexpr const char* kDeep[] = {
    "tile_m=8 tile_n=8 vector_width=4 work_group_m=8 work_group_n=16 id_order=mn "
    "assignment=offset lanes_m=2 lanes_n=16 split_k=8 cache_block_k=8 local_a=yes local_b=yes "
    "local_pad=4 prefetch=conditional access=aligned",
    "tile_m=8 tile_n=16 unroll_k=16 vector_width=4 work_group_m=16 work_group_n=8 "
    "assignment=offset lanes_m=8 lanes_n=4 split_k=8 cache_block_k=16 local_a=yes local_b=yes "
    "local_pad=4 prefetch=clamped access=aligned",
    "tile_m=8 tile_n=8 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=8 "
    "assignment=offset lanes_m=8 lanes_n=4 split_k=4 cache_block_k=16 local_a=yes local_b=yes "
    "prefetch=clamped access=aligned",
    "tile_m=4 tile_n=4 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=8 "
    "assignment=offset split_k=8 cache_block_k=16 local_a=yes local_b=yes prefetch=clamped "
    "access=aligned",
    "tile_m=8 tile_n=8 tile_k=2 vector_width=2 work_group_m=2 work_group_n=4 "
    "assignment=offset split_k=16 work_group_k=16 access=aligned addressing=indices",
    "tile_m=8 tile_n=8 tile_k=2 work_group_m=2 work_group_n=4 assignment=offset "
    "work_group_k=16 addressing=indices",
    "tile_m=4 tile_n=2 tile_k=4 unroll_k=2 vector_width=2 work_group_m=4 work_group_n=8 "
    "work_group_k=8"};

// Straight from global memory, tiles as large as the registers of a CPU: 512-bit, 256-bit and
// 128-bit vectors. The first one serves all shapes, whatever little time a tuning has.
constexpr const char* kRegisters[] = {
    "tile_m=8 tile_n=32 vector_width=16 work_group_m=16",
    "tile_m=8 tile_n=16 vector_width=16 work_group_n=16 access=aligned",
    "tile_m=12 tile_n=16 vector_width=16 work_group_m=2 work_group_n=4 assignment=offset lanes_m=2 "
    "access=aligned",
    "tile_m=8 tile_n=16 vector_width=16 work_group_m=4 work_group_n=2 lanes_m=2 access=aligned "
    "addressing=indices",
    "tile_m=8 tile_n=48 vector_width=16 work_group_m=2 work_group_n=2 id_order=mn assignment=offset "
    "lanes_n=2 group_order=columns access=aligned addressing=indices",
    "tile_m=8 tile_n=16 vector_width=16 work_group_m=16 id_order=mn lanes_m=2 group_order=columns "
    "access=aligned addressing=indices",
    "tile_m=8 tile_n=32 vector_width=16 work_group_m=2 work_group_n=2 id_order=mn lanes_n=2 "
    "group_order=columns access=aligned",
    "tile_m=8 tile_n=16 vector_width=16 work_group_m=4 work_group_n=8 id_order=mn lanes_m=2 "
    "group_order=columns access=aligned",
    "tile_m=6 tile_n=48 vector_width=16 work_group_m=4 group_order=columns access=aligned",
    "tile_m=8 tile_n=48 vector_width=16 work_group_n=4 lanes_n=2 group_order=tiled access=aligned",
    "tile_m=8 tile_n=32 vector_width=16 work_group_m=16 work_group_n=2 id_order=mn "
    "assignment=offset lanes_m=2 group_order=columns access=aligned addressing=indices",
    "tile_m=8 tile_n=32 vector_width=16 work_group_m=16 work_group_n=2 lanes_m=2 "
    "group_order=morton access=aligned",
    "tile_m=8 tile_n=48 vector_width=16 work_group_m=16 id_order=mn group_order=columns "
    "access=aligned",
    "tile_m=8 tile_n=48 vector_width=16 work_group_m=4 work_group_n=2 id_order=mn lanes_m=2 "
    "group_order=tiled access=aligned addressing=indices",
    "tile_m=6 tile_n=48 vector_width=16 work_group_m=4 work_group_n=2 id_order=mn lanes_m=2 "
    "group_order=tiled access=aligned addressing=indices",
    "tile_m=6 tile_n=64 vector_width=16 work_group_m=256 group_order=tiled access=aligned",
    "tile_m=6 tile_n=64 vector_width=16 work_group_m=4 work_group_n=2 id_order=mn "
    "group_order=columns access=aligned",
    "tile_m=8 tile_n=48 vector_width=16 work_group_m=4 id_order=mn group_order=columns "
    "access=aligned",
    "tile_m=12 tile_n=32 vector_width=16 work_group_n=4 access=aligned",
    "tile_m=12 tile_n=16 vector_width=16 work_group_m=2 work_group_n=4 lanes_m=2 access=aligned",
    "tile_m=8 tile_n=16 unroll_k=4 vector_width=16 work_group_m=8 id_order=mn lanes_m=4 "
    "access=aligned addressing=indices",
    "tile_m=8 tile_n=48 unroll_k=2 vector_width=16 work_group_n=4 group_order=tiled access=aligned "
    "addressing=indices",
    "tile_m=8 tile_n=48 vector_width=16",
    "tile_m=12 tile_n=32 unroll_k=4 vector_width=16 work_group_m=8",
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

// Where work-items have 16 registers of 256 bits: the best of ten tunings of PoCL 3.1 on an AMD
// EPYC of the third generation.
constexpr const char* kSixteenRegisters[] = {
    "tile_m=6 tile_n=16 unroll_k=2 vector_width=16 work_group_m=8 work_group_n=2 lanes_m=2 "
    "access=aligned addressing=indices",
    "tile_m=6 tile_n=16 unroll_k=2 vector_width=16 work_group_m=16 work_group_n=2 lanes_m=2 "
    "access=aligned addressing=indices",
    "tile_m=6 tile_n=16 unroll_k=2 vector_width=16 work_group_m=8 work_group_n=2 access=aligned "
    "addressing=indices",
    "tile_m=6 tile_n=16 unroll_k=2 vector_width=16 work_group_m=16 work_group_n=2 lanes_m=4 "
    "access=aligned addressing=indices",
    "tile_m=6 tile_n=16 unroll_k=2 vector_width=16 work_group_m=2 work_group_n=4 "
    "group_order=tiled access=aligned addressing=indices",
    "tile_m=6 tile_n=16 unroll_k=2 vector_width=16 work_group_m=32 work_group_n=2 lanes_m=2 "
    "access=aligned addressing=indices",
    "tile_m=6 tile_n=16 unroll_k=2 vector_width=16 work_group_m=128 work_group_n=2 lanes_m=16 "
    "group_order=columns access=aligned addressing=indices",
    "tile_m=6 tile_n=16 unroll_k=4 vector_width=16 work_group_m=8 work_group_n=2 lanes_m=2 "
    "access=aligned addressing=indices",
    "tile_m=6 tile_n=16 unroll_k=2 vector_width=8 work_group_m=16 access=aligned "
    "addressing=indices"};

// Where B is contiguous along k: sums along k.
constexpr const char* kInnerProducts[] = {
    "tile_m=3 tile_n=4 tile_k=16 unroll_k=2 vector_width=16 inner=partial work_group_m=16 "
    "work_group_n=4 id_order=mn group_order=tiled access=aligned",
    "tile_m=4 tile_n=4 tile_k=16 vector_width=16 inner=partial work_group_m=8 id_order=mn "
    "assignment=offset group_order=columns addressing=indices",
    "tile_m=3 tile_n=6 tile_k=16 vector_width=16 inner=partial work_group_m=32 work_group_n=8 "
    "id_order=mn lanes_m=4 lanes_n=4 group_order=tiled addressing=indices",
    "tile_m=4 tile_n=4 tile_k=16 vector_width=16 inner=partial",
    "tile_m=4 tile_n=2 tile_k=8 vector_width=8 inner=partial",
    "tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=partial work_group_m=4 work_group_n=16",
    "tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot work_group_m=4 work_group_n=16 "
    "access=aligned addressing=indices",
    "tile_m=4 tile_n=4 tile_k=4 vector_width=4 inner=dot work_group_m=8 work_group_n=8"};

// Panels, as wide as the tile, so that each k step reads one line of memory: vectors of 512, 256
// and 128 bits.
constexpr const char* kPanels[] = {
    "layout_b=C1x32R tile_m=12 tile_n=32 vector_width=16 work_group_m=16 work_group_n=4 "
    "id_order=mn group_order=columns access=aligned addressing=indices",
    "layout_b=C1x48R tile_m=8 tile_n=48 vector_width=16 work_group_m=16 id_order=mn "
    "group_order=tiled access=aligned addressing=indices",
    "layout_b=C1x48R tile_m=6 tile_n=48 tile_k=2 unroll_k=2 vector_width=16 access=aligned "
    "addressing=indices",
    "layout_a=R12x1C layout_b=C1x32R tile_m=12 tile_n=32 vector_width=16 work_group_m=16 "
    "id_order=mn group_order=columns access=aligned addressing=indices",
    "layout_a=R8x1C layout_b=C1x48R tile_m=8 tile_n=48 vector_width=16 work_group_m=16 "
    "id_order=mn group_order=tiled access=aligned addressing=indices",
    "layout_a=R8x1C layout_b=C1x32R tile_m=8 tile_n=32 vector_width=16 work_group_m=16 "
    "access=aligned addressing=indices",
    "layout_a=R6x1C layout_b=C1x16R tile_m=6 tile_n=16 vector_width=8 work_group_m=8 "
    "access=aligned addressing=indices",
    "layout_a=R8x1C layout_b=C1x8R tile_m=8 tile_n=8 tile_k=2 vector_width=4 work_group_m=8 "
    "work_group_n=8 access=aligned",
    "layout_a=R4x1C layout_b=C1x4R tile_m=4 tile_n=4 tile_k=8 vector_width=4 work_group_m=8 "
    "work_group_n=8 access=aligned addressing=indices"};

// A wide operand that is contiguous along the wide dimension: each work-item has columns of its
// own, or a work-group shares k where there are too few of these.
constexpr const char* kAlongWide[] = {
    "tile_wide=16 vector_width=16",
    "tile_wide=16 tile_k=4 vector_width=16 work_group_wide=4",
    "tile_wide=16 tile_k=2 vector_width=16 work_group_k=4 work_group_wide=2",
    "tile_wide=8 tile_k=4 vector_width=8 work_group_wide=8",
    "tile_wide=4 tile_k=4 vector_width=4 work_group_wide=16",
    "tile_wide=4 vector_width=4 work_group_wide=64",
    "tile_wide=4 tile_k=4 vector_width=4 work_group_k=16 work_group_wide=16 k_first=no",
    "tile_wide=2 tile_k=4 vector_width=2 work_group_k=8 work_group_wide=32 k_first=no",
    "tile_k=4 work_group_k=8 work_group_wide=32 k_first=no",
    "work_group_wide=64"};

// One that is contiguous along k: work-items side by side read what lies side by side.
constexpr const char* kAlongK[] = {
    "tile_wide=4 tile_k=16 vector_width=16",
    "tile_wide=8 tile_k=16 vector_width=16 work_group_wide=4",
    "tile_wide=2 tile_k=8 vector_width=8 work_group_wide=8",
    "tile_wide=4 tile_k=4 vector_width=4 work_group_k=8 work_group_wide=8",
    "tile_k=4 vector_width=4 work_group_k=64",
    "tile_k=4 vector_width=4 work_group_k=32 work_group_wide=4",
    "tile_wide=2 tile_k=4 vector_width=4 work_group_k=32 work_group_wide=2",
    "tile_k=4 vector_width=4 work_group_k=16 work_group_wide=8"};

// GPUs with few registers that read local memory no faster than any other (Mali): what Mesa's
// compilers for Midgard, Bifrost and Valhall make the most multiply-adds of per instruction,
// without spilling (docs/mali.md); never run on one. Smaller tiles leave room for more work-items.
constexpr const char* kMaliPanels[] = {
    "layout_a=R4x1C layout_b=C1x4R tile_m=4 tile_n=4 unroll_k=8 vector_width=4 work_group_m=8 "
    "work_group_n=8 access=aligned",
    "layout_a=R4x1C layout_b=C1x4R tile_m=4 tile_n=4 unroll_k=16 vector_width=4 work_group_m=8 "
    "work_group_n=8 access=aligned",
    "layout_a=R8x1C layout_b=C1x4R tile_m=8 tile_n=4 unroll_k=8 vector_width=4 work_group_m=8 "
    "work_group_n=8 access=aligned",
    "layout_a=R8x1C layout_b=C1x4R tile_m=8 tile_n=4 vector_width=4 work_group_m=8 "
    "work_group_n=8 access=aligned",
    "layout_a=R2x1C layout_b=C1x4R tile_m=2 tile_n=4 vector_width=4 work_group_m=16 "
    "work_group_n=8 access=aligned"};

constexpr const char* kMaliDirect[] = {
    "tile_m=4 tile_n=4 tile_k=4 vector_width=4 work_group_m=8 work_group_n=8 access=aligned",
    "tile_m=2 tile_n=4 tile_k=4 vector_width=4 work_group_m=8 work_group_n=8 access=aligned",
    "tile_m=4 tile_n=4 unroll_k=2 vector_width=4 work_group_m=8 work_group_n=8 access=aligned"};

constexpr const char* kMaliInnerProducts[] = {
    "tile_m=2 tile_n=2 tile_k=4 unroll_k=2 vector_width=4 inner=dot work_group_m=8 work_group_n=8 "
    "access=aligned",
    "tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot work_group_m=8 work_group_n=8"};

// Which products a list is for.
enum class Operands {
  kAsTheyLie,
  kBAlongK,  // as they lie, where B is contiguous along k
  kPacked,
};

struct List {
  std::span<const char* const> points;
  Operands operands;
  // Of devices whose work-items have no more registers than so many floats.
  int most_registers = std::numeric_limits<int>::max();
};

constexpr int kFewRegisters = 64;
constexpr int kSomeRegisters = 128;

// In the order in which they are tried.
constexpr List kLists[] = {{kMaliInnerProducts, Operands::kBAlongK, kFewRegisters},
                           {kMaliDirect, Operands::kAsTheyLie, kFewRegisters},
                           {kLocalMemory, Operands::kAsTheyLie},
                           {kUnaligned, Operands::kAsTheyLie},
                           {kDeep, Operands::kAsTheyLie},
                           {kRegisters, Operands::kAsTheyLie},
                           {kSixteenRegisters, Operands::kAsTheyLie, kSomeRegisters},
                           {kInnerProducts, Operands::kBAlongK},
                           {kMaliPanels, Operands::kPacked, kFewRegisters},
                           {kPanels, Operands::kPacked}};

// `codelet`: what all points of the list begin with.
void add(std::vector<ParameterPoint>& points, const std::string& codelet,
         std::span<const char* const> texts, const SpaceLimits& limits) {
  for (const char* text : texts) {
    const ParameterPoint point = parse_point(fmt::format("{} {}", codelet, text));
    if (broken_rule(point, limits) == nullptr) points.push_back(point);
  }
}

std::vector<ParameterPoint> points_of_lists(Op op, bool packed, const SpaceLimits& limits) {
  std::vector<ParameterPoint> points;
  const std::string codelet = fmt::format("gemm op={}", to_text(op));
  const bool b_along_k = layout_b_of(op) == Layout::C();
  for (const List& list : kLists) {
    if (limits.register_floats > list.most_registers) continue;
    if (packed != (list.operands == Operands::kPacked)) continue;
    if (list.operands == Operands::kBAlongK && !b_along_k) continue;
    add(points, codelet, list.points, limits);
  }
  return points;
}

}  // namespace

std::vector<ParameterPoint> starting_points(Op op, const SpaceLimits& limits) {
  return points_of_lists(op, false, limits);
}

std::vector<ParameterPoint> packed_starting_points(const SpaceLimits& limits) {
  return points_of_lists(Op::kNN, true, limits);
}

std::vector<ParameterPoint> narrow_starting_points(Op op, Dimension narrow,
                                                   const SpaceLimits& limits) {
  std::vector<ParameterPoint> points;
  const std::string codelet = fmt::format("gemv op={} narrow={}", to_text(op), to_text(narrow));
  const bool wide_along_k =
      narrow == Dimension::kM ? layout_b_of(op) == Layout::C() : layout_a_of(op) == Layout::R();
  if (wide_along_k) {
    add(points, codelet, kAlongK, limits);
  } else {
    add(points, codelet, kAlongWide, limits);
  }
  return points;
}

}  // namespace tilewright
