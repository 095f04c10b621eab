#include "tuner/journal/records/round_estimates.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kSomeRounds = 10;  // minimum for the 10th percentile
// From this number of blocks on, the mean leaves out the smallest and the largest block: of six
// blocks on a busy machine, one was 44 % off (PoCL 3.1 on two cores, 2026-11-24).
constexpr std::size_t kEnoughToTrim = 5;

using Failures = std::map<std::size_t, std::string>;

BlockId block_id(const Round& round) {
  return {round.journal, round.block};
}

// The rounds on a shape, with the slow-down of each.
struct ShapeRounds {
  std::vector<const Round*> rounds;
  std::vector<double> slow;
  double usual = 1.0;  // median of these, to which times are scaled
  std::set<std::size_t> survivors;
  std::map<std::size_t, double> fastest_ns;  // by finalist: its fastest sample
  double even_ns(std::size_t round, std::size_t finalist, double ns) const {
    return without_slow_down(ns, slow[round] / usual, fastest_ns.at(finalist));
  }
};

// Returns the finalists that took part in the last block of their journal, without those that have
// failed. Blocks in which only finalists took part that failed later do not count.
std::set<std::size_t> last_survivors(const std::vector<const Round*>& rounds,
                                     const Failures& failures) {
  std::map<int, std::pair<int, std::set<std::size_t>>> last;  // by journal: block, finalists
  for (const Round* round : rounds) {
    for (const auto& [finalist, ns] : round->ns) {
      if (failures.count(finalist) > 0) continue;
      auto& [block, finalists] =
          last.try_emplace(round->journal, round->block, std::set<std::size_t>()).first->second;
      if (round->block > block) finalists.clear();
      if (round->block >= block) finalists.insert(finalist);
      block = std::max(block, round->block);
    }
  }
  std::set<std::size_t> survivors;
  for (auto& [journal, of_last] : last) survivors.merge(of_last.second);
  return survivors;
}

// Rounds without a survivor give no slow-down, and are left out.
ShapeRounds rounds_on(const std::vector<Round>& all, const GemmShape& shape,
                      const Failures& failures) {
  std::vector<const Round*> on_shape;
  for (const Round& round : all) {
    if (round.shape == shape && !round.ns.empty()) on_shape.push_back(&round);
  }
  ShapeRounds found;
  found.survivors = last_survivors(on_shape, failures);
  std::vector<std::vector<double>> moments;
  for (const Round* round : on_shape) {
    std::vector<double> moment;
    for (const auto& [finalist, ns] : round->ns) {
      if (found.survivors.count(finalist) > 0) moment.push_back(ns);
    }
    if (moment.empty() && !round->even) continue;
    for (const auto& [finalist, ns] : round->ns) {
      double& fastest = found.fastest_ns.try_emplace(finalist, ns).first->second;
      fastest = std::min(fastest, ns);
    }
    found.rounds.push_back(round);
    moments.push_back(std::move(moment));
  }
  const bool even = found.rounds.empty() || found.rounds.front()->even;
  found.slow = even ? std::vector<double>(moments.size(), 1.0) : slow_downs(moments);
  found.usual = found.slow.empty() ? 1.0 : quantile(found.slow, 0.5);
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

std::map<std::size_t, Estimate> estimates(const std::vector<Round>& rounds, const GemmShape& shape,
                                          const Failures& failures) {
  const ShapeRounds on = rounds_on(rounds, shape, failures);
  std::map<std::size_t, Estimate> result;
  std::map<std::size_t, std::map<BlockId, std::vector<double>>> logs;
  for (std::size_t i = 0; i < on.rounds.size(); ++i) {
    for (const auto& [finalist, ns] : on.rounds[i]->ns) {
      if (failures.count(finalist) > 0) continue;
      const double corrected = on.even_ns(i, finalist, ns);
      result[finalist].samples_ns.push_back(corrected);
      logs[finalist][block_id(*on.rounds[i])].push_back(std::log(corrected));
    }
  }
  for (auto& [finalist, estimate] : result) {
    for (auto& [block, of_block] : logs[finalist]) {
      estimate.medians[block] = quantile(std::move(of_block), 0.5);
    }
    estimate.survives = on.survivors.count(finalist) > 0;
    estimate.ns = std::exp(geometric_mean_ns(estimate.medians));
  }
  return result;
}

std::vector<Round> even_rounds(const std::vector<Round>& rounds, const GemmShape& shape,
                               const Failures& failures) {
  const ShapeRounds on = rounds_on(rounds, shape, failures);
  std::vector<Round> even;
  for (std::size_t i = 0; i < on.rounds.size(); ++i) {
    Round& round = even.emplace_back(*on.rounds[i]);
    for (auto& [finalist, ns] : round.ns) ns = on.even_ns(i, finalist, ns);
    round.even = true;
  }
  return even;
}

double usual_slow_down(const std::vector<Round>& rounds, const GemmShape& shape) {
  const ShapeRounds on = rounds_on(rounds, shape, {});
  return on.slow.size() < kSomeRounds ? 0.0 : on.usual - 1.0;
}

}  // namespace tilewright
