#include "tuner/select/baseline.hpp"

#include <algorithm>

#include "codelets/space/generic_profile.hpp"
#include "profiles/retyped.hpp"
#include "tuner/search/warm_start.hpp"

namespace tilewright {

const Outcome* built_in_outcome(const std::vector<Outcome>& outcomes, const KernelId& kernel) {
  const auto found = std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) {
    return outcome.kernel == kernel && outcome.phase == kBuiltIn;
  });
  return found == outcomes.end() ? nullptr : &*found;
}

std::vector<KernelId> built_in_kernels(Op op, const SpaceLimits& limits, Precision precision) {
  std::vector<KernelId> kernels;
  for (const ParameterPoint& point : warm_points(retyped(basic_profile(), precision), op, limits)) {
    kernels.emplace_back(point);
  }
  return kernels;
}

std::vector<KernelId> working_built_in(const std::vector<Outcome>& outcomes, Op op,
                                       const SpaceLimits& limits, Precision precision) {
  std::vector<KernelId> kernels = built_in_kernels(op, limits, precision);
  std::erase_if(kernels, [&](const KernelId& kernel) {
    const Outcome* outcome = built_in_outcome(outcomes, kernel);
    return outcome == nullptr || outcome->result != OutcomeClass::kOk;
  });
  return kernels;
}

bool has_baseline(const std::vector<Outcome>& outcomes, Op op, const GemmShape& shape,
                  const SpaceLimits& limits, Precision precision) {
  const std::vector<KernelId> all = built_in_kernels(op, limits, precision);
  const auto measured = [&](const KernelId& kernel) {
    const Outcome* outcome = built_in_outcome(outcomes, kernel);
    return outcome != nullptr && outcome->result == OutcomeClass::kOk &&
           samples_on(*outcome, shape) != nullptr;
  };
  const auto tried = [&](const KernelId& kernel) {
    return built_in_outcome(outcomes, kernel) != nullptr;
  };
  return std::any_of(all.begin(), all.end(), measured) ||
         std::all_of(all.begin(), all.end(), tried);
}

}  // namespace tilewright
