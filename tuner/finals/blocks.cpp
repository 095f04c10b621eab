#include "tuner/finals/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "tuner/records/slow_down.hpp"

namespace tilewright {
namespace {

// Of an op, go on to the end: fewer would tell slow-downs by chance, and of a noisy block the best
// is among the first eight.
constexpr std::size_t kLeastOn = 8;
// Two tell next to nothing of how blocks differ: Student's t is 12.7, of three 4.3.
constexpr std::size_t kSomeBlocks = 3;
constexpr std::size_t kSomeRounds = 10;  // that have a tenth
// From so many on a mean leaves out the least and the greatest block: of six on a busy machine one
// was 44 % off (PoCL 3.1 on two cores, 2026-11-24).
constexpr std::size_t kEnoughToTrim = 5;

using Failures = std::map<std::size_t, std::string>;

// The rounds on a shape, with the slow-down of each.
struct Rounds {
  std::vector<const Round*> rounds;
  std::vector<double> slow;
  double usual = 1.0;  // of these, the middle: what figures are given of
  std::set<std::size_t> survivors;
  double even_ns(std::size_t round, double ns) const { return ns * usual / slow[round]; }
};

Rounds rounds_on(const std::vector<Round>& all, const GemmShape& shape, const Failures& failures) {
  Rounds found;
  int last = std::numeric_limits<int>::min();
  for (const Round& round : all) {
    if (round.shape == shape && !round.ns.empty()) found.rounds.push_back(&round);
  }
  for (const Round* round : found.rounds) last = std::max(last, round->block);
  for (const Round* round : found.rounds) {
    for (const auto& [finalist, ns] : round->ns) {
      if (round->block == last && failures.count(finalist) == 0) found.survivors.insert(finalist);
    }
  }
  std::vector<std::vector<double>> moments;
  for (const Round* round : found.rounds) {
    std::vector<double>& moment = moments.emplace_back();
    for (const auto& [finalist, ns] : round->ns) {
      if (!round->even && found.survivors.count(finalist) > 0) moment.push_back(ns);
    }
    if (moment.empty()) moment = {1.0};
  }
  const bool even = found.rounds.empty() || found.rounds.front()->even;
  found.slow = even ? std::vector<double>(moments.size(), 1.0) : slow_downs(moments);
  found.usual = found.slow.empty() ? 1.0 : quantile(found.slow, 0.5);
  return found;
}

using ByBlock = std::map<int, std::vector<double>>;

// Medians of logarithms, of each block.
std::map<int, double> medians_of(const ByBlock& blocks) {
  std::map<int, double> medians;
  for (const auto& [block, logs] : blocks) medians[block] = quantile(logs, 0.5);
  return medians;
}

double mean_of(const std::map<int, double>& medians) {
  std::vector<double> logs;
  for (const auto& [block, log] : medians) logs.push_back(log);
  std::sort(logs.begin(), logs.end());
  const std::ptrdiff_t out = logs.size() < kEnoughToTrim ? 0 : 1;
  const double sum = std::accumulate(logs.begin() + out, logs.end() - out, 0.0);
  return sum / static_cast<double>(logs.size() - 2 * static_cast<std::size_t>(out));
}

// Of the difference between two finalists, as a share: from block to block, or of one block.
double uncertainty_of(const ByBlock& own, const ByBlock& best) {
  std::vector<double> differences;
  const std::map<int, double> others = medians_of(best);
  for (const auto& [block, median] : medians_of(own)) {
    const auto other = others.find(block);
    if (other != others.end()) differences.push_back(median - other->second);
  }
  if (differences.size() >= 2) return mean_uncertainty(differences);
  return median_uncertainty(own.begin()->second);
}

// A plan with what it takes, end to end.
struct Standing {
  std::size_t plan = 0;
  double ns = 0.0;
  double uncertainty_ns = 0.0;
  std::size_t blocks = 0;
};

bool is_settled(const std::vector<Standing>& of_op) {
  const double best_ns = of_op.front().ns;
  return std::all_of(of_op.begin(), of_op.end(), [&](const Standing& own) {
    const bool behind = own.ns - own.uncertainty_ns > (1.0 + kWidestTie) * best_ns;
    return own.blocks >= kSomeBlocks && (behind || own.uncertainty_ns <= kLeastTie * own.ns);
  });
}

// By op, the least time first: all that can serve the shape, who survive.
std::map<Op, std::vector<Standing>> standings_of(const Lineup& lineup, const GemmShape& shape,
                                                 const Beside& beside, const Failures& failures,
                                                 const std::map<std::size_t, Estimate>& estimates) {
  std::map<Op, std::vector<Standing>> standings;
  for (std::size_t i = 0; i < lineup.plans.size(); ++i) {
    const auto& [op, finalist] = lineup.plans[i];
    const auto cost = beside.of(lineup.finalists[finalist], op, shape);
    if (!cost || failures.count(finalist) > 0) continue;
    const auto known = estimates.find(finalist);
    if (estimates.empty()) {
      standings[op].push_back({i, 0.0, 0.0, 0});
    } else if (known != estimates.end() && known->second.survives) {
      const Known& time = known->second.time;
      standings[op].push_back({i, time.value + cost->ns, time.uncertainty, known->second.blocks});
    }
  }
  for (auto& [op, of_op] : standings) {
    std::stable_sort(of_op.begin(), of_op.end(),
                     [](const Standing& a, const Standing& b) { return a.ns < b.ns; });
  }
  return standings;
}

}  // namespace

std::map<std::size_t, Estimate> estimates(const std::vector<Round>& rounds, const GemmShape& shape,
                                          const Failures& failures) {
  const Rounds on = rounds_on(rounds, shape, failures);
  std::map<std::size_t, Estimate> result;
  std::map<std::size_t, ByBlock> logs;
  for (std::size_t i = 0; i < on.rounds.size(); ++i) {
    for (const auto& [finalist, ns] : on.rounds[i]->ns) {
      if (failures.count(finalist) > 0) continue;
      const double corrected = on.even_ns(i, ns);
      result[finalist].samples_ns.push_back(corrected);
      logs[finalist][on.rounds[i]->block].push_back(std::log(corrected));
    }
  }
  std::optional<std::size_t> best;
  for (auto& [finalist, estimate] : result) {
    estimate.blocks = logs[finalist].size();
    estimate.survives = on.survivors.count(finalist) > 0;
    estimate.time.value = std::exp(mean_of(medians_of(logs[finalist])));
    if (!estimate.survives) continue;
    if (!best || estimate.time.value < result[*best].time.value) best = finalist;
  }
  for (auto& [finalist, estimate] : result) {
    if (!best || finalist == *best) continue;
    estimate.time.uncertainty = estimate.time.value * uncertainty_of(logs[finalist], logs[*best]);
  }
  return result;
}

std::vector<Round> even_rounds(const std::vector<Round>& rounds, const GemmShape& shape) {
  const Rounds on = rounds_on(rounds, shape, {});
  std::vector<Round> even;
  for (std::size_t i = 0; i < on.rounds.size(); ++i) {
    Round& round = even.emplace_back(*on.rounds[i]);
    for (auto& [finalist, ns] : round.ns) ns = on.even_ns(i, ns);
    round.even = true;
  }
  return even;
}

double usual_slow_down(const std::vector<Round>& rounds, const GemmShape& shape) {
  const Rounds on = rounds_on(rounds, shape, {});
  return on.slow.size() < kSomeRounds ? 0.0 : on.usual - 1.0;
}

NextBlock next_block(const Lineup& lineup, const std::vector<Round>& rounds, const GemmShape& shape,
                     const Beside& beside, const Failures& failures) {
  const auto known = estimates(rounds, shape, failures);
  std::set<std::size_t> runs;
  NextBlock next{{}, true};
  std::set<std::size_t> before;
  for (const auto& [finalist, estimate] : known) {
    if (estimate.survives) before.insert(finalist);
  }
  for (auto& [op, of_op] : standings_of(lineup, shape, beside, failures, known)) {
    next.settled = next.settled && !known.empty() && is_settled(of_op);
    const std::size_t half =
        known.empty() ? of_op.size() : std::max(kLeastOn, (of_op.size() + 1) / 2);
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
