#include "codelets/gemv/gemv_shape.hpp"

namespace tilewright {

GemvShape gemv_shape(const GemvPoint& p) {
  const bool a_along_k = p.layout_a == Layout::R();
  const bool b_along_k = p.layout_b == Layout::C();
  GemvShape shape;
  shape.narrow_n = p.narrow == Dimension::kN;
  shape.x_along_k = shape.narrow_n ? a_along_k : b_along_k;
  shape.y_along_k = shape.narrow_n ? b_along_k : a_along_k;
  shape.tile_m = shape.narrow_n ? p.tile_wide : p.tile_narrow;
  shape.tile_n = shape.narrow_n ? p.tile_narrow : p.tile_wide;
  shape.steps = shape.x_along_k ? p.vector_width : 1;
  shape.vectors = shape.x_along_k ? p.tile_wide : p.tile_wide / p.vector_width;
  return shape;
}

int gemv_floats_held(const GemvPoint& p) {
  const GemvShape shape = gemv_shape(p);
  const int x = shape.vectors * p.vector_width;
  return (x * p.tile_narrow + x + shape.steps) * floats_per_sum(p.precision);
}

int gemv_statements(const GemvPoint& p) {
  const GemvShape shape = gemv_shape(p);
  return p.tile_k / shape.steps * shape.vectors * p.tile_narrow;
}

int gemv_work_items(const GemvPoint& p) {
  return p.work_group_k * p.work_group_wide;
}

std::int64_t gemv_local_bytes(const GemvPoint& p) {
  if (p.work_group_k == 1) return 0;
  return static_cast<std::int64_t>(gemv_work_items(p)) * p.tile_wide * p.tile_narrow *
         static_cast<std::int64_t>(bytes_per_element(sum_precision(p.precision)));
}

}  // namespace tilewright
