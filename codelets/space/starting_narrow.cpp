// Starting points for gemv kernels.
#include <algorithm>

#include "codelets/space/starting_rules.hpp"

namespace tilewright {
namespace {

// Minimum number of work-items in parallel on a GPU that reports fewer: other work-items hide
// latencies.
constexpr int kMinLanes = 32;
constexpr int kNarrowVector = 4;

int num_lanes(const DeviceInfo& device) {
  return std::max(kMinLanes, device.min_work_group);
}

GemvPoint with(GemvPoint point, int tile_wide, int tile_k, int vector_width) {
  point.tile_wide = tile_wide;
  point.tile_k = tile_k;
  point.vector_width = vector_width;
  return point;
}

GemvPoint with_group(GemvPoint point, int k, int wide, bool k_first = true) {
  point.work_group_k = k;
  point.work_group_wide = wide;
  point.k_first = k_first;
  return point;
}

// CPUs: the wide operand is read once, sequentially, one vector register at a time. Cores without
// enough work share k.
std::vector<ParameterPoint> in_registers(const GemvPoint& start, bool wide_along_k, int width) {
  if (wide_along_k) {
    return {with(start, 1, width, width), with(start, 4, width, width),
            with_group(with(start, 8, width, width), 1, 4),
            with_group(with(start, 2, width, width), 1, 8)};
  }
  return {with(start, width, 1, width), with_group(with(start, width, 4, width), 1, 4),
          with_group(with(start, width, 2, width), 4, 2)};
}

// GPUs: work-items that run in parallel read adjacent elements. If these are along k, the
// work-items share a sum; if they are along the wide dimension, each has its own sum. If this gives
// too few work-items, several of them share k.
std::vector<ParameterPoint> side_by_side(const GemvPoint& start, bool wide_along_k, int lanes) {
  constexpr int v = kNarrowVector;
  if (wide_along_k) {
    return {with_group(with(start, 1, v, v), 2 * lanes, 1),
            with_group(with(start, 1, v, v), lanes, 4), with_group(with(start, 2, v, v), lanes, 2),
            with_group(with(start, 1, v, v), lanes / 2, 8), with_group(with(start, 4, v, v), 8, 8)};
  }
  return {with_group(with(start, v, v, v), 1, lanes / 2),
          with_group(with(start, v, 1, v), 1, 2 * lanes),
          with_group(with(start, v, v, v), 16, lanes / 2, false),
          with_group(with(start, 1, v, 1), 8, lanes, false), with_group(start, 1, 2 * lanes)};
}

}  // namespace

std::vector<ParameterPoint> narrow_starting_points(Op op, Dimension narrow,
                                                   const DeviceInfo& device) {
  GemvPoint start;
  start.layout_a = op_layout_a(op);
  start.layout_b = op_layout_b(op);
  start.narrow = narrow;
  const bool wide_along_k =
      narrow == Dimension::kM ? start.layout_b == Layout::C() : start.layout_a == Layout::R();
  const auto points = device.side_by_side
                          ? side_by_side(start, wide_along_k, num_lanes(device))
                          : in_registers(start, wide_along_k, vector_registers(device).width);
  return valid_points(points, device.limits);
}

}  // namespace tilewright
