#include "codelets/validity.hpp"

#include "gemm_operand.hpp"

namespace tilewright {
namespace {

// Longer loop bodies only cost compile time: no seed system and no rival unrolls further.
constexpr int kMaxUnrolledStatements = 2048;

bool vector_divides_tile(const ParameterPoint& p, const SpaceLimits&) {
  const int vectorised_extent = p.inner == Inner::kOuter ? p.tile_n : p.tile_k;
  return vectorised_extent % p.vector_width == 0;
}

bool inner_product_is_vector(const ParameterPoint& p, const SpaceLimits&) {
  return p.inner == Inner::kOuter || p.vector_width > 1;
}

bool dot_takes_float4(const ParameterPoint& p, const SpaceLimits&) {
  return p.inner != Inner::kDot || p.vector_width <= 4;
}

bool dot_spells_itself(const ParameterPoint& p, const SpaceLimits&) {
  return p.inner != Inner::kDot || p.multiply_add == MultiplyAdd::kExpression;
}

bool loop_body_is_bounded(const ParameterPoint& p, const SpaceLimits&) {
  return p.tile_m * p.tile_n * p.tile_k / p.vector_width <= kMaxUnrolledStatements;
}

bool work_group_fits(const ParameterPoint& p, const SpaceLimits& limits) {
  const bool nm = p.id_order == IdOrder::kNM;
  return p.work_group_m * p.work_group_n <= limits.max_work_group_size &&
         (nm ? p.work_group_n : p.work_group_m) <= limits.max_work_item_sizes[0] &&
         (nm ? p.work_group_m : p.work_group_n) <= limits.max_work_item_sizes[1];
}

bool fits_registers(const ParameterPoint& p, const SpaceLimits& limits) {
  return floats_held(p) <= limits.register_floats;
}

}  // namespace

const std::vector<Rule>& rules() {
  static const std::vector<Rule> table = {
      {"vector_divides_tile",
       "vectors lie along n (outer) or k (dot, partial) of the register tile, and a tile holds "
       "whole "
       "vectors",
       true, vector_divides_tile},
      {"inner_product_is_vector",
       "dot and partial with vectors of one float are the same kernel as outer", true,
       inner_product_is_vector},
      {"dot_takes_float4", "OpenCL's dot() takes at most float4", true, dot_takes_float4},
      {"dot_spells_itself", "dot() holds its own multiply-adds: multiply_add has nothing to spell",
       true, dot_spells_itself},
      {"loop_body_is_bounded", "more than 2048 statements in the loop only cost compile time", true,
       loop_body_is_bounded},
      {"work_group_fits", "the device's work-group limits", false, work_group_fits},
      {"fits_registers", "the tile and its operands spill when they exceed the registers", false,
       fits_registers},
  };
  return table;
}

const Rule* broken_rule(const ParameterPoint& point, const SpaceLimits& limits) {
  for (const Rule& rule : rules()) {
    if (!rule.holds(point, limits)) return &rule;
  }
  return nullptr;
}

const Rule* broken_structural_rule(const ParameterPoint& point) {
  for (const Rule& rule : rules()) {
    if (rule.structural && !rule.holds(point, {})) return &rule;
  }
  return nullptr;
}

int floats_held(const ParameterPoint& p) {
  const int accumulators = p.tile_m * p.tile_n * (p.inner == Inner::kPartial ? p.vector_width : 1);
  const GemmOperand a = operand_a(p, p.tile_k);
  const GemmOperand b = operand_b(p, p.tile_k);
  return accumulators + a.lines() * a.width() + b.lines() * b.width();
}

}  // namespace tilewright
