#include "codelets/point/rules.hpp"

namespace tilewright {
namespace {

// Maximum number of vectors per tile. Compilers handle bodies of this length well.
constexpr int kMaxVectors = 64;

const ActivationPoint& activation(const ParameterPoint& point) {
  return std::get<ActivationPoint>(point);
}

bool is_flat(const ActivationPoint& p) {
  return p.id_order == IdOrder::kFlat;
}

bool flat_is_one_line(const ParameterPoint& point, const SpaceLimits&) {
  const ActivationPoint& p = activation(point);
  return !is_flat(p) || (p.tile_m == 1 && p.work_group_m == 1);
}

bool activation_vectors_fit(const ParameterPoint& point, const SpaceLimits&) {
  const ActivationPoint& p = activation(point);
  return p.tile_n % p.vector_width == 0;
}

bool body_is_bounded(const ParameterPoint& point, const SpaceLimits&) {
  const ActivationPoint& p = activation(point);
  return p.tile_m * p.tile_n / p.vector_width <= kMaxVectors;
}

bool driver_chooses_freely(const ParameterPoint& point, const SpaceLimits&) {
  const ActivationPoint& p = activation(point);
  return p.group_size != GroupSize::kDriver || (p.work_group_m == 1 && p.work_group_n == 1);
}

bool activation_group_fits(const ParameterPoint& point, const SpaceLimits& limits) {
  const ActivationPoint& p = activation(point);
  return p.id_order == IdOrder::kMN ? work_group_fits(p.work_group_m, p.work_group_n, limits)
                                    : work_group_fits(p.work_group_n, p.work_group_m, limits);
}

bool activation_registers_hold(const ParameterPoint& point, const SpaceLimits& limits) {
  const ActivationPoint& p = activation(point);
  return 2 * p.tile_n <= limits.register_floats;
}

}  // namespace

std::vector<Rule> activation_rules() {
  return {
      {"flat_is_one_line",
       "with flat, work-groups have one dimension",
       true,
       {"id_order", "tile_m", "work_group_m"},
       flat_is_one_line},
      {"vectors_fit",
       "vectors run along rows, and a row of the tile must hold whole vectors",
       true,
       {"tile_n", "vector_width"},
       activation_vectors_fit},
      {"body_is_bounded",
       "the kernel is unrolled, with at most 64 vectors per tile",
       true,
       {"tile_m", "tile_n", "vector_width"},
       body_is_bounded},
      exponential_is_called(),
      {kDriverChoosesFreely,
       kDriverChoosesFreelyReason,
       true,
       {"group_size", "work_group_m", "work_group_n"},
       driver_chooses_freely},
      images_and_networks_have_type({"precision"}),
      vector_is_taken(),
      {kWorkGroupFits,
       kWorkGroupFitsReason,
       false,
       {"work_group_m", "work_group_n", "id_order"},
       activation_group_fits},
      {"registers_hold",
       "a row of the tile and its biases must fit into the registers",
       false,
       {"tile_n"},
       activation_registers_hold},
  };
}

}  // namespace tilewright
