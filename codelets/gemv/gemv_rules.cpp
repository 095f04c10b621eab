#include "codelets/gemv/gemv_shape.hpp"
#include "codelets/point/rules.hpp"

namespace tilewright {
namespace {

constexpr int kMaxStatements = 256;

const GemvPoint& gemv(const ParameterPoint& point) {
  return std::get<GemvPoint>(point);
}

bool layouts_are_plain(const ParameterPoint& point, const SpaceLimits&) {
  return gemv(point).layout_a.is_plain() && gemv(point).layout_b.is_plain();
}

bool one_side_is_narrow(const ParameterPoint& point, const SpaceLimits&) {
  return gemv(point).narrow != Dimension::kNone;
}

bool vectors_fit(const ParameterPoint& point, const SpaceLimits&) {
  const GemvPoint& p = gemv(point);
  return (gemv_shape(p).x_along_k ? p.tile_k : p.tile_wide) % p.vector_width == 0;
}

bool body_is_bounded(const ParameterPoint& point, const SpaceLimits&) {
  return gemv_statements(gemv(point)) <= kMaxStatements;
}

bool order_matters(const ParameterPoint& point, const SpaceLimits&) {
  const GemvPoint& p = gemv(point);
  return p.k_first || (p.work_group_k > 1 && p.work_group_wide > 1);
}

bool driver_chooses_freely(const ParameterPoint& point, const SpaceLimits&) {
  const GemvPoint& p = gemv(point);
  return p.group_size != GroupSize::kDriver || (p.work_group_k == 1 && p.work_group_wide == 1);
}

bool group_fits(const ParameterPoint& point, const SpaceLimits& limits) {
  const GemvPoint& p = gemv(point);
  return p.k_first ? work_group_fits(p.work_group_k, p.work_group_wide, limits)
                   : work_group_fits(p.work_group_wide, p.work_group_k, limits);
}

bool registers_hold(const ParameterPoint& point, const SpaceLimits& limits) {
  return gemv_floats_held(gemv(point)) <= limits.register_floats;
}

bool local_memory_holds(const ParameterPoint& point, const SpaceLimits& limits) {
  return gemv_local_bytes(gemv(point)) <= limits.local_memory_bytes;
}

}  // namespace

std::vector<Rule> gemv_rules() {
  return {
      {"layouts_are_plain",
       "the large operand is read only once, so packing it costs more than it saves",
       true,
       {"layout_a", "layout_b"},
       layouts_are_plain},
      {"one_side_is_narrow",
       "a tile covers n or m completely",
       true,
       {"narrow"},
       one_side_is_narrow},
      {"vectors_fit",
       "vectors of the large operand must be contiguous, with whole vectors in tile_k or tile_wide",
       true,
       {"layout_a", "layout_b", "narrow", "tile_wide", "tile_k", "vector_width"},
       vectors_fit},
      {"body_is_bounded",
       "the loop is unrolled, with at most 256 multiply-adds",
       true,
       {"layout_a", "layout_b", "narrow", "tile_narrow", "tile_wide", "tile_k", "vector_width"},
       body_is_bounded},
      {"order_matters",
       "if all work-items of a group are along one dimension, there is no order to choose",
       true,
       {"work_group_k", "work_group_wide", "k_first"},
       order_matters},
      exponential_is_called(),
      images_and_networks_have_type({"precision", "bias", "activation"}),
      {kDriverChoosesFreely,
       kDriverChoosesFreelyReason,
       true,
       {"group_size", "work_group_k", "work_group_wide"},
       driver_chooses_freely},
      vector_is_taken(),
      {kWorkGroupFits,
       kWorkGroupFitsReason,
       false,
       {"work_group_k", "work_group_wide", "k_first"},
       group_fits},
      {"registers_hold",
       "accumulators and one vector of each line must fit into the registers",
       false,
       {"precision", "layout_a", "layout_b", "narrow", "tile_narrow", "tile_wide", "vector_width"},
       registers_hold},
      {"local_memory_holds",
       "the sums of a work-group that shares k must fit into the local memory of the device",
       false,
       {"precision", "tile_narrow", "tile_wide", "work_group_k", "work_group_wide"},
       local_memory_holds},
  };
}

}  // namespace tilewright
