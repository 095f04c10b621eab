#include "sample_rules.hpp"

#include <cstdint>

namespace tilewright {
namespace {

const GemmPoint& gemm(const ParameterPoint& point) {
  return std::get<GemmPoint>(point);
}

bool uses_local(const GemmPoint& p) {
  return p.local_a || p.local_b;
}

std::int64_t local_bytes(const GemmPoint& p) {
  const std::int64_t a = p.local_a ? p.work_group_m * p.tile_m + p.local_pad : 0;
  const std::int64_t b = p.local_b ? p.work_group_n * p.tile_n + p.local_pad : 0;
  return (a + b) * p.cache_block_k * p.local_buffers * 4;
}

bool vector_divides_tile(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return (p.inner == Inner::kOuter ? p.tile_n : p.tile_k) % p.vector_width == 0;
}

bool inner_product_is_vector(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.inner == Inner::kOuter ||
         (p.vector_width > 1 && (p.inner == Inner::kPartial || p.vector_width <= 4));
}

bool dot_spells_itself(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.inner != Inner::kDot || p.multiply_add == MultiplyAdd::kExpression;
}

bool loop_body_is_bounded(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.tile_m * p.tile_n * p.tile_k * p.unroll_k / p.vector_width <= 1024;
}

bool lanes_divide_work_group(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.work_group_m % p.lanes_m == 0 && p.work_group_n % p.lanes_n == 0;
}

bool lanes_are_no_work_group(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.lanes_m * p.lanes_n == 1 || p.lanes_m < p.work_group_m || p.lanes_n < p.work_group_n;
}

bool block_holds_turns(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.cache_block_k % (p.tile_k * p.unroll_k) == 0;
}

bool local_needs_block(const ParameterPoint& point, const SpaceLimits&) {
  return !uses_local(gemm(point)) || gemm(point).cache_block_k > 0;
}

bool buffers_need_local(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return uses_local(p) ||
         (p.local_buffers == 1 && p.local_pad == 0 && p.prefetch == Prefetch::kNone);
}

bool image_is_packed(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return (!p.image_a || p.layout_a.is_plain()) && (!p.image_b || p.layout_b.is_plain());
}

bool chunks_hold_tiles(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.tile_m % p.layout_a.chunk_rows() == 0 && p.tile_k % p.layout_a.chunk_columns() == 0 &&
         p.tile_n % p.layout_b.chunk_columns() == 0 && p.tile_k % p.layout_b.chunk_rows() == 0;
}

bool vector_is_taken(const ParameterPoint& point, const SpaceLimits& limits) {
  return gemm(point).vector_width <= limits.max_vector_width;
}

bool work_group_fits(const ParameterPoint& point, const SpaceLimits& limits) {
  const GemmPoint& p = gemm(point);
  const bool nm = p.id_order == IdOrder::kNM;
  return p.work_group_m * p.work_group_n <= limits.max_work_group_size &&
         (nm ? p.work_group_n : p.work_group_m) <= limits.max_work_item_sizes[0] &&
         (nm ? p.work_group_m : p.work_group_n) <= limits.max_work_item_sizes[1];
}

bool fits_registers(const ParameterPoint& point, const SpaceLimits& limits) {
  const GemmPoint& p = gemm(point);
  const int width = p.inner == Inner::kPartial ? p.vector_width : 1;
  return p.tile_m * p.tile_n * width + (p.tile_m + p.tile_n) * p.tile_k <= limits.register_floats;
}

bool fits_local_memory(const ParameterPoint& point, const SpaceLimits& limits) {
  return local_bytes(gemm(point)) <= limits.local_memory_bytes;
}

bool images_exist(const ParameterPoint& point, const SpaceLimits& limits) {
  return limits.image_support || !(gemm(point).image_a || gemm(point).image_b);
}

}  // namespace

const std::vector<Rule>& sample_rules() {
  static const std::vector<Rule> rules = {
      {"vector_divides_tile",
       "a",
       true,
       {"tile_n", "tile_k", "inner", "vector_width"},
       vector_divides_tile},
      {"inner_product_is_vector", "b", true, {"inner", "vector_width"}, inner_product_is_vector},
      {"dot_spells_itself", "c", true, {"inner", "multiply_add"}, dot_spells_itself},
      {"loop_body_is_bounded",
       "d",
       true,
       {"tile_m", "tile_n", "tile_k", "unroll_k", "vector_width"},
       loop_body_is_bounded},
      {"lanes_divide_work_group",
       "e",
       true,
       {"work_group_m", "work_group_n", "lanes_m", "lanes_n"},
       lanes_divide_work_group},
      {"lanes_are_no_work_group",
       "f",
       true,
       {"work_group_m", "work_group_n", "lanes_m", "lanes_n"},
       lanes_are_no_work_group},
      {"block_holds_turns", "g", true, {"cache_block_k", "tile_k", "unroll_k"}, block_holds_turns},
      {"local_needs_block", "h", true, {"cache_block_k", "local_a", "local_b"}, local_needs_block},
      {"buffers_need_local",
       "i",
       true,
       {"local_a", "local_b", "local_buffers", "local_pad", "prefetch"},
       buffers_need_local},
      {"image_is_packed",
       "j",
       true,
       {"layout_a", "layout_b", "image_a", "image_b"},
       image_is_packed},
      {"chunks_hold_tiles",
       "k",
       true,
       {"layout_a", "layout_b", "tile_m", "tile_n", "tile_k"},
       chunks_hold_tiles},
      {"vector_is_taken", "v", false, {"vector_width"}, vector_is_taken},
      {"work_group_fits",
       "l",
       false,
       {"work_group_m", "work_group_n", "id_order"},
       work_group_fits},
      {"fits_registers",
       "m",
       false,
       {"tile_m", "tile_n", "tile_k", "inner", "vector_width"},
       fits_registers},
      {"fits_local_memory",
       "n",
       false,
       {"tile_m", "tile_n", "work_group_m", "work_group_n", "cache_block_k", "local_a", "local_b",
        "local_buffers", "local_pad"},
       fits_local_memory},
      {"images_exist", "o", false, {"image_a", "image_b"}, images_exist},
  };
  return rules;
}

}  // namespace tilewright
