// The rules that create starting points.
//
// Internal to the starting_*.cpp files.
#pragma once

#include <string_view>
#include <vector>

#include "codelets/point/validity.hpp"
#include "codelets/space/starting_points.hpp"
#include "codelets/space/starting_tiles.hpp"

namespace tilewright {

// Operands that a rule is for.
enum class Operands {
  kInPlace,
  kBAlongK,  // unpacked, with B contiguous along k
  kPacked,
};

// The points that the rules of codelet gemm add.
using GemmPoints = std::vector<GemmPoint>;

// One rule.
struct StartingRule {
  Operands operands;
  // True if the rule applies to the device.
  bool (*is_for)(const DeviceInfo&);
  // Adds points; some may be invalid on the device. `start` has its layouts set; everything else
  // has first values.
  void (*add)(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
  std::string_view reason;
};

// The functions of the rules (StartingRule::add); see the table in starting_points.cpp. First those
// in starting_cpu.cpp:
void add_filled_registers(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_small_tiles(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_parts_for_cores(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_sums_along_k(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_wide_panels(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
// Those in starting_gpu.cpp:
void add_staged(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_direct(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_parts_for_units(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_dots(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);
void add_class_panels(const DeviceInfo&, const GemmPoint& start, GemmPoints& points);

// Return a copy of the point with the given changes.
GemmPoint with_tile(GemmPoint point, RegisterTile tile, int vector_width);
GemmPoint with_group(GemmPoint point, int m, int n);
// Packs both operands, or only B, into panels as wide as the tile.
GemmPoint with_panels(GemmPoint point, bool of_a);

// The points that are valid and whose values are in the codelet's table, without duplicates.
std::vector<ParameterPoint> valid_points(const std::vector<ParameterPoint>& points,
                                         const SpaceLimits& limits);

}  // namespace tilewright
