#include "tuner/sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/statistics.hpp"

namespace tilewright {
namespace {

constexpr double kCalm = 0.03;  // a reference that moves by less stood still

bool has_reference(const Sweep& sweep) {
  return sweep.reference_before_ns > 0.0 && sweep.reference_after_ns > 0.0;
}

double reference_ns(const Sweep& sweep) {
  return (sweep.reference_before_ns + sweep.reference_after_ns) / 2.0;
}

// How far the reference moved during a sweep, as a share of the lesser of its times.
double move(const Sweep& sweep) {
  const auto [less, more] = std::minmax(sweep.reference_before_ns, sweep.reference_after_ns);
  return more / less - 1.0;
}

// The middle one of the values: one that occurred. Where a clock has two paces, a mean of both is
// the pace of none.
double middle(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Those during which the machine kept its pace, as far as the reference tells.
std::vector<const Sweep*> accepted(const std::vector<const Sweep*>& sweeps) {
  std::vector<double> moves;
  for (const Sweep* sweep : sweeps) moves.push_back(move(*sweep));
  const double most = std::max(kCalm, quantile(moves, 0.5));
  std::vector<const Sweep*> calm;
  for (const Sweep* sweep : sweeps) {
    if (move(*sweep) <= most) calm.push_back(sweep);
  }
  return calm.size() < 2 ? sweeps : calm;
}

}  // namespace

std::map<std::size_t, std::vector<double>> corrected_samples(const std::vector<Sweep>& sweeps,
                                                             const GemmShape& shape) {
  std::vector<const Sweep*> with_reference;
  std::vector<const Sweep*> without;
  for (const Sweep& sweep : sweeps) {
    if (sweep.shape == shape) (has_reference(sweep) ? with_reference : without).push_back(&sweep);
  }
  std::map<std::size_t, std::vector<double>> samples;
  // Where the reference failed early, the sweeps since then say more than those before.
  if (with_reference.empty() || with_reference.size() < without.size()) {
    for (const Sweep* sweep : without) {
      for (const auto& [racer, ns] : sweep->ns) samples[racer].push_back(ns);
    }
    return samples;
  }
  const std::vector<const Sweep*> taken = accepted(with_reference);
  std::vector<double> references;
  for (const Sweep* sweep : taken) references.push_back(reference_ns(*sweep));
  const double known_ns = middle(std::move(references));
  for (const Sweep* sweep : taken) {
    const double pace = reference_ns(*sweep) / known_ns;
    for (const auto& [racer, ns] : sweep->ns) samples[racer].push_back(ns / pace);
  }
  return samples;
}

}  // namespace tilewright
