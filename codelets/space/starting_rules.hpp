// What is a rule of starting points, and which are there?
//
// Internal to them.
#pragma once

#include <string_view>
#include <vector>

#include "codelets/point/validity.hpp"
#include "codelets/space/starting_points.hpp"
#include "codelets/space/starting_tiles.hpp"

namespace tilewright {

// Which products a rule is for.
enum class Operands {
  kAsTheyLie,
  kBAlongK,  // as they lie, where B is contiguous along k
  kPacked,
};

using GemmPoints = std::vector<GemmPoint>;

struct StartingRule {
  Operands operands;
  bool (*is_for)(const DeviceInfo&);
  // Adds points to others; some may be invalid on the device. They begin with `start`, which has
  // nothing but layouts.
  void (*add)(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
  std::string_view reason;
};

// The rules' points, as StartingRule::add. Their reasons are in the table (starting_points.cpp).
// starting_cpu.cpp
void add_filled_registers(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_small_tiles(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_parts_for_cores(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_sums_along_k(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_wide_panels(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
// starting_gpu.cpp
void add_staged(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_direct(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_parts_for_units(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_dots(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_class_panels(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);

// The start of a point, changed.
GemmPoint with_tile(GemmPoint point, RegisterTile tile, int vector_width);
GemmPoint with_group(GemmPoint point, int m, int n);
// Both operands, or B alone, in panels as wide as the tile.
GemmPoint with_panels(GemmPoint point, bool of_a);

// The points that are valid and in the codelet's table, each once.
std::vector<ParameterPoint> kept(const std::vector<ParameterPoint>& points,
                                 const SpaceLimits& limits);

}  // namespace tilewright
