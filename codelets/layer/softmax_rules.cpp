#include "codelets/point/rules.hpp"

namespace tilewright {
namespace {

// Elements that a work-item keeps across barriers in addition to its vector: the row's maximum and
// sum, and its position.
constexpr int kFloatsAcrossBarriers = 8;

const SoftmaxPoint& softmax(const ParameterPoint& point) {
  return std::get<SoftmaxPoint>(point);
}

std::int64_t work_items(const SoftmaxPoint& p) {
  return static_cast<std::int64_t>(p.work_group_m) * p.work_group_n;
}

bool softmax_group_fits(const ParameterPoint& point, const SpaceLimits& limits) {
  const SoftmaxPoint& p = softmax(point);
  return work_group_fits(p.work_group_n, p.work_group_m, limits);
}

bool softmax_registers_hold(const ParameterPoint& point, const SpaceLimits& limits) {
  return 2 * softmax(point).vector_width <= limits.register_floats;
}

bool local_memory_holds(const ParameterPoint& point, const SpaceLimits& limits) {
  const SoftmaxPoint& p = softmax(point);
  return p.work_group_n == 1 || work_items(p) * 4 <= limits.local_memory_bytes;
}

bool fits_across_barriers(const ParameterPoint& point, const SpaceLimits& limits) {
  const SoftmaxPoint& p = softmax(point);
  return p.work_group_n == 1 ||
         work_items(p) * (p.vector_width + kFloatsAcrossBarriers) <= limits.group_floats;
}

}  // namespace

std::vector<Rule> softmax_rules() {
  return {
      images_and_networks_have_type({"precision"}),
      vector_is_taken(),
      {kWorkGroupFits,
       kWorkGroupFitsReason,
       false,
       {"work_group_m", "work_group_n"},
       softmax_group_fits},
      {"registers_hold",
       "a vector of results and one of the row must fit into the registers",
       false,
       {"vector_width"},
       softmax_registers_hold},
      {"local_memory_holds",
       "a float for each work-item must fit into the local memory of the device",
       false,
       {"work_group_m", "work_group_n"},
       local_memory_holds},
      {"fits_across_barriers",
       "on a CPU, values that work-items keep across barriers are in memory; drivers crash if there "
       "are too many",
       false,
       {"vector_width", "work_group_m", "work_group_n"},
       fits_across_barriers},
  };
}

}  // namespace tilewright
