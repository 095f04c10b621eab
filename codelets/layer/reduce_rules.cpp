#include "codelets/point/rules.hpp"

namespace tilewright {
namespace {

bool reduce_group_fits(const ParameterPoint& point, const SpaceLimits& limits) {
  const auto& p = std::get<ReducePoint>(point);
  return work_group_fits(p.work_group_n, p.work_group_m, limits);
}

bool reduce_registers_hold(const ParameterPoint& point, const SpaceLimits& limits) {
  // The sum, and the vector that is added to it.
  const auto& p = std::get<ReducePoint>(point);
  return 2 * p.vector_width * floats_per_sum(p.precision) <= limits.register_floats;
}

}  // namespace

std::vector<Rule> reduce_rules() {
  return {
      exponential_is_called(),
      images_and_networks_have_type({"precision", "bias", "activation"}),
      vector_is_taken(),
      {kWorkGroupFits,
       kWorkGroupFitsReason,
       false,
       {"work_group_m", "work_group_n"},
       reduce_group_fits},
      {"registers_hold",
       "a vector of sums and one of parts must fit into the registers",
       false,
       {"precision", "vector_width"},
       reduce_registers_hold},
  };
}

}  // namespace tilewright
