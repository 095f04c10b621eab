#include "codelets/space/starting_points.hpp"

#include <algorithm>
#include <numeric>

#include "codelets/space/starting_rules.hpp"

namespace tilewright {
namespace {

bool is_cpu(const DeviceInfo& device) {
  return !device.side_by_side;
}

bool is_gpu(const DeviceInfo& device) {
  return device.side_by_side;
}

bool stages(const DeviceInfo& device) {
  return is_gpu(device) && device.limits.local_memory_is_dedicated;
}

// The rules, in the order in which their points are tried.
constexpr StartingRule kRules[] = {
    {Operands::kBAlongK, is_gpu, add_dots,
     "dot() of vectors along k, as many as fit into the registers"},
    {Operands::kInPlace, stages, add_staged,
     "dedicated local memory: work-groups for squares of 128, 64 and 32 elements share what they "
     "read, 16 k steps at a time"},
    {Operands::kInPlace, is_gpu, add_direct,
     "caches instead of local memory: tiles that fill the registers, read in vectors of four"},
    {Operands::kInPlace, is_gpu, add_parts_for_units,
     "small products with a large k have too few work-groups for all compute units, so k is divided"},
    {Operands::kInPlace, is_cpu, add_filled_registers,
     "tiles that fill the vector registers; a core runs the work-items of a group one after the "
     "other, so that they read the same columns of B from its cache"},
    {Operands::kInPlace, is_cpu, add_small_tiles,
     "small products: tiles of one vector and half the height, so that no core is idle"},
    {Operands::kInPlace, is_cpu, add_parts_for_cores,
     "small products with a large k have too few work-groups for all cores, so each gets a part of "
     "k"},
    {Operands::kBAlongK, is_cpu, add_sums_along_k,
     "B is contiguous along k: sums are vectors along k, as many as fit into the registers"},
    {Operands::kPacked, is_gpu, add_class_panels,
     "panels as wide as a tile that fills the registers: each k step is one line"},
    {Operands::kPacked, is_cpu, add_wide_panels,
     "panels as wide as the tiles that fill the registers: each k step is one line"}};

std::vector<ParameterPoint> rule_points(Op op, bool packed, const DeviceInfo& device) {
  GemmPoints points;
  const GemmPoint start = gemm_point(op);
  for (const StartingRule& rule : kRules) {
    if (packed != (rule.operands == Operands::kPacked) || !rule.is_for(device)) continue;
    if (rule.operands == Operands::kBAlongK && op_layout_b(op) != Layout::C()) continue;
    rule.add(device, start, points);
  }
  return valid_points({points.begin(), points.end()}, device.limits);
}

}  // namespace

GemmPoint with_tile(GemmPoint point, RegisterTile tile, int vector_width) {
  point.tile_m = tile.m;
  point.tile_n = tile.n;
  point.vector_width = std::gcd(tile.n, vector_width);
  return point;
}

GemmPoint with_group(GemmPoint point, int m, int n) {
  point.work_group_m = m;
  point.work_group_n = n;
  return point;
}

GemmPoint with_panels(GemmPoint point, bool of_a) {
  using Order = Layout::Order;
  if (of_a) point.layout_a = Layout(Order::kRows, {{point.tile_m, 1, Order::kColumns}});
  point.layout_b = Layout(Order::kColumns, {{1, point.tile_n, Order::kRows}});
  point.access = Access::kAligned;
  return point;
}

std::vector<ParameterPoint> valid_points(const std::vector<ParameterPoint>& points,
                                         const SpaceLimits& limits) {
  std::vector<ParameterPoint> result;
  for (const ParameterPoint& point : points) {
    const std::vector<Field>& table = fields(point_codelet(point));
    const bool searched = std::all_of(table.begin(), table.end(), [&](const Field& field) {
      return field.index(point).has_value();
    });
    const bool is_new = std::find(result.begin(), result.end(), point) == result.end();
    if (searched && is_new && broken_rule(point, limits) == nullptr) result.push_back(point);
  }
  return result;
}

std::vector<ParameterPoint> starting_points(Op op, const DeviceInfo& device) {
  return rule_points(op, false, device);
}

std::vector<ParameterPoint> packed_starting_points(const DeviceInfo& device) {
  return rule_points(Op::kNN, true, device);
}

}  // namespace tilewright
