// Orders the plans for a call.
#pragma once

#include <vector>

#include "runtime/plan/plan.hpp"

namespace tilewright {

// True if `a` comes before `b` by rank and predicted cost alone.
bool goes_before(const GemmPlan& a, const GemmPlan& b);

// Decides between tuned profiles and `built_in`, the kernel that runs without them. The plans are
// sorted with goes_before(). The first tuned profile that covers the call, because it knows how
// long `built_in` takes, is used alone: plans of other tuned profiles go to the end, and the plan
// with `built_in` goes to the front unless another plan is clearly better. If no profile covers the
// call, the plan with `built_in` goes to the front.
void prefer_covering_profile(std::vector<GemmPlan>& plans,
                             const std::vector<const Profile*>& profiles,
                             const KernelRecord& built_in);

}  // namespace tilewright
