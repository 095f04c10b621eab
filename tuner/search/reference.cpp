#include "tuner/search/reference.hpp"

#include <algorithm>

#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

// In log(ns): about a fifth of the time. A smaller difference may be luck.
constexpr double kClearlyBetter = 0.22;

}  // namespace

std::vector<double> Reference::known_ns() const {
  return kernel_.empty() ? std::vector<double>() : known_ns(candidates_.at(kernel_));
}

std::vector<double> Reference::known_ns(const Candidate& candidate) const {
  std::vector<double> known;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const std::vector<double>& seen = candidate.seen_ns[s];
    // Uncorrected times are used, because errors of corrections would accumulate from reference to
    // reference.
    const ShapeSamples* own = samples_on(candidate.outcome, shapes_[s]);
    if (own == nullptr || own->ns.empty()) {
      known.push_back(0.0);
    } else {
      known.push_back(seen.size() >= kSeenOften ? usual_ns(seen) : quantile(own->ns, 0.5));
    }
  }
  return known;
}

// Updates the cost of a candidate from its known times.
void Reference::weigh(Candidate& candidate, const CostModel& costs) {
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

// Records the reference times of a trial.
void Reference::see(const Outcome& outcome, const CostModel& costs) {
  const auto reference = candidates_.find(outcome.reference);
  if (reference == candidates_.end()) return;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const ShapeSamples* samples = samples_on(outcome, shapes_[s]);
    if (samples == nullptr || samples->reference_ns.empty()) continue;
    reference->second.seen_ns[s].push_back(quantile(samples->reference_ns, 0.5));
  }
  weigh(reference->second, costs);
}

void Reference::choose() {
  const auto best =
      std::min_element(candidates_.begin(), candidates_.end(),
                       [](const auto& a, const auto& b) { return a.second.cost < b.second.cost; });
  if (best == candidates_.end()) return;
  if (kernel_.empty()) kernel_ = best->first;
  const Candidate& reference = candidates_.at(kernel_);
  const std::vector<double> known = known_ns(reference);
  bool is_known = true;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    is_known = is_known && (known[s] == 0.0 || reference.seen_ns[s].size() >= kSeenOften);
  }
  if (is_known && best->second.cost < reference.cost - kClearlyBetter) kernel_ = best->first;
}

void Reference::learn(const Outcome& outcome, const CostModel& costs) {
  shapes_ = costs.shapes();
  see(outcome, costs);
  const auto measured = std::count_if(shapes_.begin(), shapes_.end(), [&](const GemmShape& shape) {
    const ShapeSamples* samples = samples_on(outcome, shape);
    return samples != nullptr && !samples->ns.empty();
  });
  if (outcome.result == OutcomeClass::kOk && 2 * measured > std::ssize(shapes_)) {
    Candidate candidate{outcome, costs.cost(outcome).value_or(0.0),
                        std::vector<std::vector<double>>(shapes_.size())};
    candidates_.emplace(outcome.kernel, std::move(candidate));
  }
  choose();
}

}  // namespace tilewright
