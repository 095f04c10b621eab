#include "tuner/select/blocks.hpp"

#include <algorithm>
#include <set>

#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

// At least this many finalists per op continue to the end. With fewer, slow-downs could not be
// estimated reliably, and after a noisy block the best finalist is among the first eight.
constexpr std::size_t kMinRemainingPlans = 8;
// Minimum number of blocks for a decision. Two blocks contain hardly any information about their
// spread: Student's t is 12.7, compared with 4.3 for three.
constexpr std::size_t kSomeBlocks = 3;

using Failures = std::map<std::size_t, std::string>;

// A plan with its total time.
struct Standing {
  std::size_t plan = 0;
  double ns = 0.0;
  double uncertainty_ns = 0.0;
  std::size_t blocks = 0;
};

bool is_settled(const std::vector<Standing>& of_op) {
  const double best_ns = of_op.front().ns;
  return std::all_of(of_op.begin(), of_op.end(), [&](const Standing& own) {
    const bool is_slower = own.ns - own.uncertainty_ns > (1.0 + kWidestTie) * best_ns;
    return own.blocks >= kSomeBlocks && (is_slower || own.uncertainty_ns <= kMinTie * own.ns);
  });
}

// Returns the survivors that support the shape by op, fastest first.
std::map<Op, std::vector<Standing>> op_standings(const Lineup& lineup, const GemmShape& shape,
                                                 const AuxiliaryCost& auxiliary,
                                                 const Failures& failures,
                                                 const std::map<std::size_t, Estimate>& estimates) {
  std::map<Op, std::vector<Standing>> standings;
  for (std::size_t i = 0; i < lineup.plans.size(); ++i) {
    const auto& [op, finalist] = lineup.plans[i];
    const auto cost = auxiliary.find(lineup.finalists[finalist], op, shape);
    if (!cost || failures.count(finalist) > 0) continue;
    const auto known = estimates.find(finalist);
    if (estimates.empty()) {
      standings[op].push_back({i, 0.0, 0.0, 0});
    } else if (known != estimates.end() && known->second.survives) {
      standings[op].push_back({i, known->second.ns + cost->ns, 0.0, known->second.medians.size()});
    }
  }
  for (auto& [op, of_op] : standings) {
    std::stable_sort(of_op.begin(), of_op.end(),
                     [](const Standing& a, const Standing& b) { return a.ns < b.ns; });
    if (estimates.empty()) continue;
    const auto estimate = [&](const Standing& standing) -> const Estimate& {
      return estimates.at(lineup.plans[standing.plan].finalist);
    };
    for (Standing& own : of_op) {
      own.uncertainty_ns = uncertainty_ns(estimate(own), estimate(of_op.front()));
    }
  }
  return standings;
}

}  // namespace

NextBlock next_block(const Lineup& lineup, const std::vector<Round>& rounds, const GemmShape& shape,
                     const AuxiliaryCost& auxiliary, const Failures& failures) {
  const auto known = estimates(rounds, shape, failures);
  std::set<std::size_t> runs;
  NextBlock next{{}, true};
  std::set<std::size_t> before;
  for (const auto& [finalist, estimate] : known) {
    if (estimate.survives) before.insert(finalist);
  }
  for (auto& [op, of_op] : op_standings(lineup, shape, auxiliary, failures, known)) {
    next.settled = next.settled && !known.empty() && is_settled(of_op);
    const std::size_t half =
        known.empty() ? of_op.size() : std::max(kMinRemainingPlans, (of_op.size() + 1) / 2);
    for (std::size_t i = 0; i < of_op.size(); ++i) {
      const bool baseline =
          std::count(lineup.baselines.begin(), lineup.baselines.end(), of_op[i].plan) > 0;
      if (i < half || baseline) runs.insert(lineup.plans[of_op[i].plan].finalist);
    }
  }
  next.settled = next.settled && runs == before;
  next.runs = {runs.begin(), runs.end()};
  return next;
}

}  // namespace tilewright
