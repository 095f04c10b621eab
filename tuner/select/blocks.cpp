#include "tuner/select/blocks.hpp"

#include <algorithm>
#include <set>

#include "tuner/journal/records/statistics.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

// At least this many finalists per op continue to the end. With fewer, slow-downs could not be
// estimated reliably, and after a noisy block the best finalist is among the first eight.
constexpr std::size_t kMinRemainingPlans = 8;
// Minimum number of blocks for a decision. Two blocks contain hardly any information about their
// spread: Student's t is 12.7, compared with 4.3 for three.
constexpr std::size_t kSomeBlocks = 3;

using Failures = std::map<std::size_t, std::string>;

// Returns the survivors among the plans, fastest first.
std::vector<std::size_t> survivors(const TimesOfPlans& times) {
  std::vector<std::size_t> plans;
  for (std::size_t plan = 0; plan < times.size(); ++plan) {
    if (times[plan] && times[plan]->survives) plans.push_back(plan);
  }
  std::stable_sort(plans.begin(), plans.end(), [&](std::size_t a, std::size_t b) {
    return times[a]->total_ns() < times[b]->total_ns();
  });
  return plans;
}

// Returns true if the time of a plan is known well enough, compared with the best one for its op.
bool is_settled(const PlanTime& own, const PlanTime& best, std::size_t blocks) {
  const double uncertainty_ns = own.kernel_ns.uncertainty;
  const bool is_slower = own.total_ns() - uncertainty_ns > (1.0 + kWidestTie) * best.total_ns();
  return blocks >= kSomeBlocks && (is_slower || uncertainty_ns <= kMinTie * own.total_ns());
}

// Returns the finalists that support the shape.
std::set<std::size_t> supporting(const Lineup& lineup, const GemmShape& shape,
                                 const AuxiliaryCost& auxiliary, const Failures& failures) {
  std::set<std::size_t> finalists;
  for (const auto& [op, finalist] : lineup.plans) {
    const bool supports = auxiliary.find(lineup.finalists[finalist], op, shape).has_value();
    if (supports && !failures.contains(finalist)) finalists.insert(finalist);
  }
  return finalists;
}

}  // namespace

NextBlock next_block(const Lineup& lineup, const std::vector<Round>& rounds, const GemmShape& shape,
                     const AuxiliaryCost& auxiliary, const Failures& failures) {
  const auto known = estimates(rounds, shape, failures);
  if (known.empty()) {
    const std::set<std::size_t> all = supporting(lineup, shape, auxiliary, failures);
    return {{all.begin(), all.end()}, all.empty()};
  }
  std::set<std::size_t> before;
  for (const auto& [finalist, estimate] : known) {
    if (estimate.survives) before.insert(finalist);
  }
  std::set<Op> ops;
  for (const FinalPlan& plan : lineup.plans) ops.insert(plan.op);
  std::set<std::size_t> runs;
  bool settled = true;
  for (const Op op : ops) {
    const TimesOfPlans times = plan_times(lineup, op, shape, auxiliary, known);
    const std::vector<std::size_t> plans = survivors(times);
    const std::size_t half = std::max(kMinRemainingPlans, (plans.size() + 1) / 2);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const std::size_t finalist = lineup.plans[plans[i]].finalist;
      const std::size_t blocks = known.at(finalist).medians.size();
      settled = settled && is_settled(*times[plans[i]], *times[plans.front()], blocks);
      const bool baseline = std::ranges::count(lineup.baselines, plans[i]) > 0;
      if (i < half || baseline) runs.insert(finalist);
    }
  }
  return {{runs.begin(), runs.end()}, settled && runs == before};
}

}  // namespace tilewright
