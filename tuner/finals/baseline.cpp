#include "tuner/finals/baseline.hpp"

#include <algorithm>

#include "codelets/space/generic_profile.hpp"
#include "tuner/search/warm_start.hpp"

namespace tilewright {

const Outcome* built_in_outcome(const std::vector<Outcome>& outcomes, const KernelId& kernel) {
  const auto found = std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) {
    return outcome.kernel == kernel && outcome.phase == kBuiltIn;
  });
  return found == outcomes.end() ? nullptr : &*found;
}

std::vector<KernelId> built_in_kernels(Op op, const SpaceLimits& limits) {
  std::vector<KernelId> kernels;
  for (const ParameterPoint& point : warm_points(generic_profile(), op, limits)) {
    kernels.emplace_back(point);
  }
  return kernels;
}

KernelId baseline_of(const std::vector<Outcome>& outcomes, Op op, const SpaceLimits& limits) {
  for (const KernelId& kernel : built_in_kernels(op, limits)) {
    const Outcome* outcome = built_in_outcome(outcomes, kernel);
    if (outcome != nullptr && outcome->result == OutcomeClass::kOk) return kernel;
  }
  return {};
}

bool has_baseline(const std::vector<Outcome>& outcomes, Op op, const SpaceLimits& limits) {
  if (!baseline_of(outcomes, op, limits).empty()) return true;
  const std::vector<KernelId> all = built_in_kernels(op, limits);
  return std::all_of(all.begin(), all.end(), [&](const KernelId& kernel) {
    return built_in_outcome(outcomes, kernel) != nullptr;
  });
}

}  // namespace tilewright
