// Checks that the library uses the kernels that a tuning found to be the best.
#pragma once

#include <limits>

#include "catch.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/plan/plan.hpp"
#include "tuner/journal/journal.hpp"
#include "tuner/search/pack_requirements.hpp"
#include "tuner/select/baseline.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {

// Checks that for every (op, shape) of a tuning the first plan with its profile is the winner or
// ties with it.
inline void check_first_plans(const JournalContents& contents, const Profile& profile) {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  DeviceInfo device;
  device.identity.limits = {kAny, {kAny, kAny}, kAny, true, true};
  device.max_image_width = device.max_image_height = std::numeric_limits<std::size_t>::max();
  device.max_buffer_bytes = std::numeric_limits<std::uint64_t>::max();
  const Profile built_in = built_in_profile(contents.header.device, profile);
  std::vector<const Profile*> profiles = {&profile};
  // Of made-up tunings that did not measure the built-in kernels, the library would take these.
  if (!working_built_in(contents.outcomes).empty()) profiles.push_back(&built_in);
  const MeasuredTimes times(profiles);
  const Standings all = standings(contents);
  for (std::size_t p = 0; p < all.problems.size(); ++p) {
    const Op op = all.problems[p].op;
    const GemmShape shape = all.problems[p].shape;
    const KernelId best = winner(all, p);
    if (best.empty()) continue;
    INFO(to_text(op) << " " << to_text(shape) << ": best is " << best.text());
    GemmProblem problem = dense_problem(op, shape);
    problem.b_prepacked = contents.header.b_prepacked;
    const std::vector<GemmPlan> plans = rank_plans(profiles, times, device, problem);
    REQUIRE_FALSE(plans.empty());
    const std::string& first = plans.front().kernel().point;
    INFO("the library takes " << first);
    const PlanTime* time = all.time(p, parse_kernel(first));
    REQUIRE(time != nullptr);
    CHECK(time->total_ns() <= (1.0 + kWidestTie) * all.time(p, best)->total_ns());
    CHECK(time->survives == all.time(p, best)->survives);
  }
}

// The same for a profile in a file, whose journal is next to it.
inline void check_first_plans(const std::string& profile) {
  check_first_plans(read_journal(profile + ".journal.jsonl"), load_profile(profile));
}

}  // namespace tilewright
