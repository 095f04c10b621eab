// Starting points of GPUs: work-items run side by side, and have the more registers, the fewer they
// are.
#include <algorithm>
#include <bit>
#include <optional>

#include "codelets/space/starting_rules.hpp"

namespace tilewright {
namespace {

// What GPUs load at once, and what lies side by side in a pixel.
constexpr int kGpuVector = 4;
// A group of more work-items waits long at its barriers.
constexpr int kMostWaiting = 256;
constexpr int kMostParts = 8;    // of k: each is written and read once more
constexpr int kMostStaged = 16;  // elements of a tile along m or n
constexpr int kMostDirect = 8;

// Work-items that run together lie as near to a square as can be: they read the fewest lines.
GemmPoint with_lanes(GemmPoint point, const DeviceInfo& device) {
  const auto lanes = static_cast<unsigned>(std::max(1, device.least_work_group));
  const int side = 1 << ((std::bit_width(lanes) - 1) / 2);
  const int other = static_cast<int>(std::bit_floor(lanes)) / side;
  GemmPoint laid = point;
  laid.lanes_m = other;
  laid.lanes_n = side;
  return broken_rule(laid, device.limits) == nullptr ? laid : point;
}

// The tile of a group of side x side elements of C, both operands staged block_k deep.
std::optional<GemmPoint> staged(const DeviceInfo& device, const GemmPoint& start, int side,
                                int block_k, int floats) {
  const auto group_of = [&](RegisterTile tile) {
    GemmPoint point = with_tile(start, tile, kGpuVector);
    // Neighbours read what lies side by side, vector by vector; one vector has no parts.
    if (std::max(tile.m, tile.n) > kGpuVector) point.assignment = Assignment::kOffset;
    point.unroll_k = point.cache_block_k = block_k;
    point.local_a = point.local_b = true;
    point.prefetch = Prefetch::kClamped;
    return with_group(point, side / tile.m, side / tile.n);
  };
  const auto holds = [&](RegisterTile tile) {
    if (side % tile.m != 0 || side % tile.n != 0 || tile.n < tile.m) return false;
    const int items = side * side / (tile.m * tile.n);
    return items >= device.least_work_group && items <= kMostWaiting &&
           floats_held(group_of(tile)) <= held_floats(floats) &&
           broken_rule(group_of(tile), device.limits) == nullptr;
  };
  const auto tile = best_tile(kGpuVector, kMostStaged, holds);
  if (!tile) return std::nullopt;
  return with_lanes(group_of(*tile), device);
}

constexpr int kSides[] = {128, 64, 32};
constexpr int kBlock = 16;

// What each class of registers holds, the largest first, each once.
std::vector<RegisterTile> class_tiles(const DeviceInfo& device, int k_steps) {
  std::vector<RegisterTile> tiles;
  for (const int floats : register_classes(device)) {
    const auto tile = best_tile(kGpuVector, kMostDirect, [&](RegisterTile t) {
      return t.m * t.n + (t.m + t.n) * k_steps <= held_floats(floats);
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
    // A shallow block of two buffers takes as much, and one barrier less.
    if (auto point = staged(device, start, side, kBlock / 2, classes.front())) {
      point->access = Access::kAligned;
      point->local_buffers = 2;
      points.push_back(*point);
    }
    // No vector load may assume that matrices are aligned.
    if (auto point = staged(device, start, side, kBlock, classes[classes.size() / 2])) {
      if (side == kSides[0]) continue;
      points.push_back(*point);
      points.push_back(*point);
      points.back().access = Access::kElements;
    }
  }
}

void add_parts_for_units(const DeviceInfo& device, const GemmPoint& start, GemmPoints& points) {
  constexpr int kGroups = 16;  // of a small product
  const int parts = std::min(kMostParts, device.identity.compute_units / kGroups);
  if (parts >= 2) {
    for (const int side : kSides) {
      auto point = staged(device, start, side, kBlock, register_classes(device).back());
      if (!point) continue;
      point->access = Access::kAligned;
      point->split_k = static_cast<int>(std::bit_floor(static_cast<unsigned>(parts)));
      points.push_back(*point);
    }
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
    if (tile == tiles.front()) points.push_back(point);  // which serves all shapes
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
