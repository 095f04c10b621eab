#include "tuner/journal/records/round_estimates.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kSomeRounds = 10;  // minimum for the 10th percentile
// From this number of blocks on, the mean leaves out the smallest and the largest block: of six
// blocks on a busy machine, one was 44 % off (PoCL 3.1 on two cores, 2026-11-24).
constexpr std::size_t kEnoughToTrim = 5;

using Failures = std::map<KernelId, std::string>;

// Identifies a round on one shape: journal, worker process and round.
using RoundId = std::tuple<int, int, int>;

// The samples of a round on one shape.
struct Round {
  std::map<KernelId, double> ns;
  double slow_down = 1.0;  // relative to the median round
};

// The rounds on a shape.
struct ShapeRounds {
  std::map<RoundId, Round> rounds;
  double usual = 1.0;  // slow-down of the median round
  std::set<KernelId> survivors;
  std::map<KernelId, double> fastest_ns;  // the fastest sample of each finalist
  double even_ns(const Round& round, const KernelId& kernel, double ns) const {
    return without_slow_down(ns, round.slow_down, fastest_ns.at(kernel));
  }
};

RoundId round_id(const Outcome& outcome) {
  return {outcome.journal, outcome.process, outcome.round};
}

// Returns the finalists that took part in the last block of their journal, without those that have
// failed. Blocks in which only finalists took part that failed later do not count.
std::set<KernelId> last_survivors(const std::map<RoundId, Round>& rounds,
                                  const Failures& failures) {
  std::map<int, std::pair<int, std::set<KernelId>>> last;  // by journal: block, finalists
  for (const auto& [id, round] : rounds) {
    const auto& [journal, process, number] = id;
    for (const auto& [kernel, ns] : round.ns) {
      if (failures.contains(kernel)) continue;
      auto& [block, finalists] =
          last.try_emplace(journal, process, std::set<KernelId>()).first->second;
      if (process > block) finalists.clear();
      block = process;
      finalists.insert(kernel);
    }
  }
  std::set<KernelId> survivors;
  for (auto& [journal, of_last] : last) survivors.merge(of_last.second);
  return survivors;
}

// Sets the slow-down of each round. Rounds without a survivor give none, and are left out.
void set_slow_downs(ShapeRounds& found) {
  std::vector<std::vector<double>> moments;
  std::erase_if(found.rounds, [&](const auto& each) {
    std::vector<double> moment;
    for (const auto& [kernel, ns] : each.second.ns) {
      if (found.survivors.contains(kernel)) moment.push_back(ns);
    }
    if (!moment.empty()) moments.push_back(moment);
    return moment.empty();
  });
  if (moments.empty()) return;
  const std::vector<double> slow = slow_downs(moments);
  found.usual = quantile(slow, 0.5);
  std::size_t i = 0;
  for (auto& [id, round] : found.rounds) round.slow_down = slow[i++] / found.usual;
}

ShapeRounds rounds_on(const std::vector<Outcome>& finals, const GemmShape& shape,
                      const Failures& failures) {
  ShapeRounds found;
  bool is_even = false;
  for (const Outcome& outcome : finals) {
    const ShapeSamples* samples = samples_on(outcome, shape);
    if (samples == nullptr || samples->ns.empty()) continue;
    found.rounds[round_id(outcome)].ns[outcome.kernel] = samples->ns.front();
    is_even = outcome.journal > 0;
  }
  found.survivors = last_survivors(found.rounds, failures);
  if (!is_even) set_slow_downs(found);
  for (const auto& [id, round] : found.rounds) {
    for (const auto& [kernel, ns] : round.ns) {
      double& fastest = found.fastest_ns.try_emplace(kernel, ns).first->second;
      fastest = std::min(fastest, ns);
    }
  }
  return found;
}

// Returns the number of blocks at each end that are left out.
std::size_t trimmed(std::size_t blocks) {
  return blocks < kEnoughToTrim ? 0 : 1;
}

double geometric_mean_ns(const std::map<BlockId, double>& medians) {
  std::vector<double> logs;
  for (const auto& [block, log] : medians) logs.push_back(log);
  return trimmed_mean(logs, trimmed(logs.size()));
}

}  // namespace

double uncertainty_ns(const Estimate& own, const Estimate& best) {
  if (&own == &best && own.medians.size() > 1) return 0.0;
  std::vector<double> differences;
  for (const auto& [block, median] : own.medians) {
    const auto other = best.medians.find(block);
    if (other != best.medians.end()) differences.push_back(median - other->second);
  }
  if (differences.size() < 2) return median_uncertainty(own.samples_ns);
  const std::size_t out = trimmed(differences.size());
  return own.ns * mean_uncertainty(std::move(differences), out);
}

std::map<KernelId, Estimate> estimates(const std::vector<Outcome>& finals, const GemmShape& shape,
                                       const Failures& failures) {
  const ShapeRounds on = rounds_on(finals, shape, failures);
  std::map<KernelId, Estimate> result;
  std::map<KernelId, std::map<BlockId, std::vector<double>>> logs;
  for (const auto& [id, round] : on.rounds) {
    const auto& [journal, process, number] = id;
    for (const auto& [kernel, ns] : round.ns) {
      if (failures.contains(kernel)) continue;
      const double corrected = on.even_ns(round, kernel, ns);
      result[kernel].samples_ns.push_back(corrected);
      logs[kernel][{journal, process}].push_back(std::log(corrected));
    }
  }
  for (auto& [kernel, estimate] : result) {
    for (auto& [block, of_block] : logs[kernel]) {
      estimate.medians[block] = quantile(std::move(of_block), 0.5);
    }
    estimate.survives = on.survivors.contains(kernel);
    estimate.ns = std::exp(geometric_mean_ns(estimate.medians));
  }
  return result;
}

std::vector<Outcome> even_finals(const std::vector<Outcome>& finals, const GemmShape& shape,
                                 const Failures& failures) {
  const ShapeRounds on = rounds_on(finals, shape, failures);
  std::vector<Outcome> even;
  for (const Outcome& outcome : finals) {
    const ShapeSamples* samples = samples_on(outcome, shape);
    if (samples == nullptr || samples->ns.empty()) continue;
    const auto round = on.rounds.find(round_id(outcome));
    if (round == on.rounds.end()) continue;
    even.push_back(outcome);
    even.back().shapes = {*samples};
    double& ns = even.back().shapes.front().ns.front();
    ns = on.even_ns(round->second, outcome.kernel, ns);
  }
  return even;
}

double usual_slow_down(const std::vector<Outcome>& finals, const GemmShape& shape) {
  const ShapeRounds on = rounds_on(finals, shape, {});
  return on.rounds.size() < kSomeRounds ? 0.0 : on.usual - 1.0;
}

}  // namespace tilewright
