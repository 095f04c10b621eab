#include "codelets/point/rules.hpp"

namespace tilewright {
namespace {

bool reduce_group_fits(const ParameterPoint& point, const SpaceLimits& limits) {
  const auto& p = std::get<ReducePoint>(point);
  return work_group_fits(p.work_group_n, p.work_group_m, limits);
}

bool reduce_registers_hold(const ParameterPoint& point, const SpaceLimits& limits) {
  // A sum and what is added to it.
  return 2 * std::get<ReducePoint>(point).vector_width <= limits.register_floats;
}

}  // namespace

std::vector<Rule> reduce_rules() {
  return {
      exponential_is_called(),
      vector_is_taken(),
      {kWorkGroupFits,
       kWorkGroupFitsReason,
       false,
       {"work_group_m", "work_group_n"},
       reduce_group_fits},
      {"registers_hold",
       "a vector of sums and one of parts lie in registers",
       false,
       {"vector_width"},
       reduce_registers_hold},
  };
}

}  // namespace tilewright
