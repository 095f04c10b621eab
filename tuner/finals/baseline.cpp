#include "tuner/finals/baseline.hpp"

#include <algorithm>

#include "codelets/space/generic_profile.hpp"
#include "tuner/search/warm_start.hpp"

namespace tilewright {

const Outcome* built_in_outcome(const std::vector<Outcome>& outcomes, const std::string& point) {
  const auto found = std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) {
    return outcome.point == point && outcome.phase == kBuiltIn;
  });
  return found == outcomes.end() ? nullptr : &*found;
}

std::vector<std::string> built_in_kernels(Op op, const SpaceLimits& limits) {
  std::vector<std::string> kernels;
  for (const ParameterPoint& point : warm_points(generic_profile(), op, limits)) {
    kernels.push_back(to_text(point));
  }
  return kernels;
}

std::string baseline_of(const std::vector<Outcome>& outcomes, Op op, const SpaceLimits& limits) {
  for (const std::string& kernel : built_in_kernels(op, limits)) {
    const Outcome* outcome = built_in_outcome(outcomes, kernel);
    if (outcome != nullptr && outcome->result == OutcomeClass::kOk) return kernel;
  }
  return "";
}

bool has_baseline(const std::vector<Outcome>& outcomes, Op op, const SpaceLimits& limits) {
  if (!baseline_of(outcomes, op, limits).empty()) return true;
  const std::vector<std::string> all = built_in_kernels(op, limits);
  return std::all_of(all.begin(), all.end(), [&](const std::string& kernel) {
    return built_in_outcome(outcomes, kernel) != nullptr;
  });
}

}  // namespace tilewright
