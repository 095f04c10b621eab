// Starting points for GPUs, where work-items run in parallel and have more registers if there are
// fewer of them.
#include <algorithm>
#include <bit>
#include <optional>

#include "codelets/space/starting_rules.hpp"

namespace tilewright {
namespace {

// Elements per load on GPUs, and per pixel.
constexpr int kGpuVector = 4;
// Maximum number of work-items per group with barriers; larger groups wait too long at them.
constexpr int kMaxWaiting = 256;
// Maximum number of parts of k; each part is written and read once more.
constexpr int kMaxParts = 8;
constexpr int kMaxStagedTile = 16;  // maximum elements of a tile along m or n, with local memory
constexpr int kMaxDirectTile = 8;

// Arranges work-items that run in parallel in a nearly square rectangle, which reads the fewest
// cache lines.
GemmPoint with_lanes(GemmPoint point, const DeviceInfo& device) {
  const auto lanes = static_cast<unsigned>(std::max(1, device.min_work_group));
  const int side = 1 << ((std::bit_width(lanes) - 1) / 2);
  const int other = static_cast<int>(std::bit_floor(lanes)) / side;
  GemmPoint laid = point;
  laid.lanes_m = other;
  laid.lanes_n = side;
  return broken_rule(laid, device.limits) == nullptr ? laid : point;
}

// Point whose work-groups compute side x side elements of C, with both operands copied to local
// memory in blocks of block_k steps.
std::optional<GemmPoint> staged(const DeviceInfo& device, const GemmPoint& start, int side,
                                int block_k, int floats) {
  const auto tile_group = [&](RegisterTile tile) {
    GemmPoint point = with_tile(start, tile, kGpuVector);
    // Neighbouring work-items read neighbouring vectors. A tile of a single vector cannot be
    // divided.
    if (std::max(tile.m, tile.n) > kGpuVector) point.assignment = Assignment::kOffset;
    point.unroll_k = point.cache_block_k = block_k;
    point.local_a = point.local_b = true;
    point.prefetch = Prefetch::kClamped;
    return with_group(point, side / tile.m, side / tile.n);
  };
  const auto holds = [&](RegisterTile tile) {
    if (side % tile.m != 0 || side % tile.n != 0 || tile.n < tile.m) return false;
    const int items = side * side / (tile.m * tile.n);
    return items >= device.min_work_group && items <= kMaxWaiting &&
           num_floats(tile_group(tile)) <= usable_floats(floats) &&
           broken_rule(tile_group(tile), device.limits) == nullptr;
  };
  const auto tile = best_tile(kGpuVector, kMaxStagedTile, holds);
  if (!tile) return std::nullopt;
  return with_lanes(tile_group(*tile), device);
}

constexpr int kSides[] = {128, 64, 32};
constexpr int kBlock = 16;

// The best tile for each register class, largest first, without duplicates.
std::vector<RegisterTile> class_tiles(const DeviceInfo& device, int k_steps) {
  std::vector<RegisterTile> tiles;
  for (const int floats : register_classes(device)) {
    const auto tile = best_tile(kGpuVector, kMaxDirectTile, [&](RegisterTile t) {
      return t.m * t.n + (t.m + t.n) * k_steps <= usable_floats(floats);
    });
    if (tile && (tiles.empty() || tiles.back() != *tile)) tiles.push_back(*tile);
  }
  std::reverse(tiles.begin(), tiles.end());
  return tiles;
}

}  // namespace

void add_staged(const DeviceInfo& device, const GemmPoint& start, GemmPoints& points) {
  std::vector<int> classes = register_classes(device);
  std::reverse(classes.begin(), classes.end());
  for (const int side : kSides) {
    for (const int floats : classes) {
      const auto point = staged(device, start, side, kBlock, floats);
      if (!point) continue;
      points.push_back(*point);
      points.back().access = Access::kAligned;
      points.back().local_pad = kGpuVector;
    }
    // Two buffers of half the depth need the same local memory, and one barrier less.
    if (auto point = staged(device, start, side, kBlock / 2, classes.front())) {
      point->access = Access::kAligned;
      point->local_buffers = 2;
      points.push_back(*point);
    }
    // Variants whose loads do not assume aligned matrices.
    if (auto point = staged(device, start, side, kBlock, classes[classes.size() / 2])) {
      if (side == kSides[0]) continue;
      points.push_back(*point);
      points.push_back(*point);
      points.back().access = Access::kElements;
    }
  }
}

void add_parts_for_units(const DeviceInfo& device, const GemmPoint& start, GemmPoints& points) {
  constexpr int kGroups = 16;  // work-groups of a small product
  const int parts = std::min(kMaxParts, device.identity.compute_units / kGroups);
  if (parts >= 2) {
    for (const int side : kSides) {
      auto point = staged(device, start, side, kBlock, register_classes(device).back());
      if (!point) continue;
      point->access = Access::kAligned;
      point->split_k = static_cast<int>(std::bit_floor(static_cast<unsigned>(parts)));
      points.push_back(*point);
    }
  }
  // An even division keeps all units busy with the largest tiles.
  if (auto point = staged(device, start, kSides[0], kBlock, register_classes(device).back())) {
    point->access = Access::kAligned;
    point->stream_k = 2;
    points.push_back(*point);
  }
  for (const int shares : {16, 8}) {
    GemmPoint point = with_group(with_tile(start, {4, 4}, kGpuVector), 4, 4);
    point.tile_k = 2;
    point.work_group_k = shares;
    points.push_back(point);
  }
}

void add_direct(const DeviceInfo& device, const GemmPoint& start, GemmPoints& points) {
  const std::vector<RegisterTile> tiles = class_tiles(device, kGpuVector);
  for (const RegisterTile& tile : tiles) {
    GemmPoint point = with_group(with_tile(start, tile, kGpuVector), 8, 8);
    point.tile_k = kGpuVector;
    if (tile == tiles.front()) points.push_back(point);  // this one runs on all shapes
    points.push_back(point);
    points.back().access = Access::kAligned;
  }
  for (const RegisterTile& tile : class_tiles(device, 1)) {
    GemmPoint point = with_group(with_tile(start, tile, kGpuVector), 8, 8);
    point.unroll_k = 2;
    point.access = Access::kAligned;
    points.push_back(point);
  }
}

void add_dots(const DeviceInfo& device, const GemmPoint& start, GemmPoints& points) {
  for (const RegisterTile& tile : class_tiles(device, kGpuVector)) {
    GemmPoint point = start;
    point.inner = Inner::kDot;
    point.tile_m = point.tile_n = std::min(tile.m, tile.n);
    point.tile_k = point.vector_width = kGpuVector;
    points.push_back(with_group(point, 8, 8));
    point.unroll_k = 2;
    point.access = Access::kAligned;
    points.push_back(with_group(point, 8, 8));
  }
}

void add_class_panels(const DeviceInfo& device, const GemmPoint& start, GemmPoints& points) {
  for (const RegisterTile& tile : class_tiles(device, 1)) {
    GemmPoint point = with_group(with_tile(start, tile, kGpuVector), 8, 8);
    for (const int unroll : {8, 1}) {
      point.unroll_k = unroll;
      points.push_back(with_panels(point, true));
    }
  }
}

}  // namespace tilewright
