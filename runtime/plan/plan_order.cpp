#include "runtime/plan/plan_order.hpp"

#include <algorithm>
#include <tuple>

namespace tilewright {
namespace {

using Plans = std::vector<GemmPlan>;

// The plan with the kernel, if the profile knows its time; otherwise the end.
Plans::iterator find_known(Plans& plans, const Profile& profile, const KernelRecord& built_in) {
  return std::find_if(plans.begin(), plans.end(), [&](const GemmPlan& plan) {
    return plan.profile == &profile && plan.times.known() && !plan.times.doubtful &&
           plan.kernel().built_in && plan.kernel().name == built_in.name;
  });
}

// Puts the plan with the built-in kernel first, unless the first one is clearly better.
void prefer_unless_slower(Plans& plans, const Profile& profile, const KernelRecord& built_in) {
  const auto known = find_known(plans, profile, built_in);
  const PlanTimes& first = plans.front().times;
  // On a tuned shape, a kernel that was not measured there was worse than those that were.
  const bool is_worse = first.evidence == TimeEvidence::kMeasuredHere &&
                        known->times.evidence != TimeEvidence::kMeasuredHere;
  if (is_worse || first.clearly_better(known->times)) return;
  if (known != plans.begin()) known->times.first_because = FirstBecause::kUnbeaten;
  std::rotate(plans.begin(), known, known + 1);
}

}  // namespace

bool goes_before(const GemmPlan& a, const GemmPlan& b) {
  const auto key = [](const GemmPlan& plan) {
    return std::tuple(plan.times.rank(), plan.times.evidence == TimeEvidence::kUntuned,
                      plan.times.total_ns());
  };
  return key(a) < key(b);
}

void prefer_covering_profile(Plans& plans, const std::vector<const Profile*>& profiles,
                             const KernelRecord& built_in) {
  for (const Profile* profile : profiles) {
    if (profile->kind != ProfileKind::kTuned) continue;
    if (find_known(plans, *profile, built_in) == plans.end()) continue;
    std::stable_partition(plans.begin(), plans.end(), [&](const GemmPlan& plan) {
      return plan.profile == profile || plan.profile->kind != ProfileKind::kTuned;
    });
    return prefer_unless_slower(plans, *profile, built_in);
  }
  const auto own = std::find_if(plans.begin(), plans.end(),
                                [&](const GemmPlan& plan) { return &plan.kernel() == &built_in; });
  if (own == plans.end()) return;
  own->times.first_because = FirstBecause::kUncovered;
  std::rotate(plans.begin(), own, own + 1);  // its rank is now the lowest
}

}  // namespace tilewright
