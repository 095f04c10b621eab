#include "tuner/search/drift_reference.hpp"

#include <algorithm>
#include <iterator>

#include "tuner/records/statistics.hpp"

namespace tilewright {
namespace {

// Samples of its own trial count until there are so many others.
constexpr std::size_t kEnough = 5;
// The latest ones: half a minute to minutes.
constexpr std::size_t kRemembered = 101;
// Of log(ns): a fifth of the time. Less may be luck.
constexpr double kClearlyBetter = 0.22;

}  // namespace

std::vector<double> DriftReference::known_ns() const {
  return point_.empty() ? std::vector<double>() : known_ns(candidates_.at(point_));
}

std::vector<double> DriftReference::best_ns() const {
  return best_.empty() ? std::vector<double>() : known_ns(candidates_.at(best_));
}

std::vector<double> DriftReference::known_ns(const Candidate& candidate) const {
  std::vector<double> known;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const std::deque<double>& seen = candidate.seen_ns[s];
    // As it was, not corrected: errors of corrections would add up from reference to reference.
    const ShapeSamples* own = samples_on(candidate.outcome, shapes_[s]);
    if (own == nullptr || own->ns.empty()) {
      known.push_back(0.0);
    } else {
      known.push_back(seen.size() >= kEnough ? quantile({seen.begin(), seen.end()}, 0.5)
                                             : quantile(own->ns, 0.5));
    }
  }
  return known;
}

// The cost by what is known now.
void DriftReference::weigh(Candidate& candidate, const CostModel& costs) {
  Outcome outcome = candidate.outcome;
  const std::vector<double> known = known_ns(candidate);
  outcome.shapes.clear();
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    if (known[s] == 0.0) continue;
    ShapeSamples samples;
    samples.shape = shapes_[s];
    samples.ns = {known[s]};
    outcome.shapes.push_back(std::move(samples));
  }
  candidate.cost = costs.cost(outcome).value_or(candidate.cost);
}

// What the reference took beside a candidate.
void DriftReference::see(const Outcome& outcome, const CostModel& costs) {
  const auto reference = candidates_.find(outcome.reference);
  if (reference == candidates_.end()) return;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const ShapeSamples* samples = samples_on(outcome, shapes_[s]);
    if (samples == nullptr || samples->reference_ns.empty()) continue;
    std::deque<double>& seen = reference->second.seen_ns[s];
    seen.push_back(quantile(samples->reference_ns, 0.5));
    if (seen.size() > kRemembered) seen.pop_front();
  }
  weigh(reference->second, costs);
}

void DriftReference::choose() {
  const auto best =
      std::min_element(candidates_.begin(), candidates_.end(),
                       [](const auto& a, const auto& b) { return a.second.cost < b.second.cost; });
  if (best == candidates_.end()) return;
  best_ = best->first;
  if (point_.empty()) point_ = best_;
  const Candidate& reference = candidates_.at(point_);
  const std::vector<double> known = known_ns(reference);
  bool is_known = true;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    is_known = is_known && (known[s] == 0.0 || reference.seen_ns[s].size() >= kEnough);
  }
  if (is_known && best->second.cost < reference.cost - kClearlyBetter) point_ = best_;
}

void DriftReference::learn(const Outcome& outcome, const CostModel& costs) {
  shapes_ = costs.shapes();
  see(outcome, costs);
  const auto measured = std::count_if(shapes_.begin(), shapes_.end(), [&](const GemmShape& shape) {
    const ShapeSamples* samples = samples_on(outcome, shape);
    return samples != nullptr && !samples->ns.empty();
  });
  if (outcome.result == OutcomeClass::kOk && 2 * measured > std::ssize(shapes_)) {
    Candidate candidate{outcome, costs.cost(outcome).value_or(0.0),
                        std::vector<std::deque<double>>(shapes_.size())};
    candidates_.emplace(outcome.point, std::move(candidate));
  }
  choose();
}

}  // namespace tilewright
