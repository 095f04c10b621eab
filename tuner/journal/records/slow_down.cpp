#include "tuner/journal/records/slow_down.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

// Fraction of the samples that counts as undisturbed. It is small, because no sample is undisturbed
// during a slow period, which may last many seconds.
constexpr double kLeftAlone = 0.1;

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

// Returns the typical time of the reference in a trial: the median of its samples, but at most its
// best sample times the ratio of the candidate's median to the candidate's best sample. Without
// this limit, a disturbance that affected only the reference would make the candidate look fast.
double reference_ns(const ShapeSamples& samples) {
  const double met = quantile(samples.ns, 0.5) / least(samples.ns);
  return std::min(quantile(samples.reference_ns, 0.5), met * least(samples.reference_ns));
}

// Returns 1 if there is no reference.
double measured_slow_down(const ShapeSamples& samples) {
  if (samples.reference_known_ns <= 0.0 || samples.reference_ns.empty()) return 1.0;
  return reference_ns(samples) / samples.reference_known_ns;
}

auto reference_key(const Outcome& outcome, const GemmShape& shape) {
  return std::tuple(outcome.reference, shape.m, shape.n, shape.k);
}

}  // namespace

double usual_ns(const std::vector<double>& seen) {
  return quantile(seen, kLeftAlone);
}

std::vector<double> slow_downs(const std::vector<std::vector<double>>& moments) {
  std::vector<double> middles;
  for (const std::vector<double>& times : moments) {
    std::vector<double> logs;
    for (const double ns : times) logs.push_back(std::log(ns));
    middles.push_back(std::exp(quantile(std::move(logs), 0.5)));
  }
  if (middles.empty()) return middles;
  const double usual = usual_ns(middles);
  for (double& middle : middles) middle /= usual;
  return middles;
}

double without_slow_down(double ns, double slow_down, double fastest_raw_ns) {
  return std::max(ns / slow_down, fastest_raw_ns);
}

std::vector<double> corrected_ns(const ShapeSamples& samples) {
  std::vector<double> corrected = samples.ns;
  if (corrected.empty()) return corrected;
  const double slow_down = measured_slow_down(samples);
  const double fastest_ns = least(samples.ns);
  for (double& ns : corrected) ns = without_slow_down(ns, slow_down, fastest_ns);
  return corrected;
}

double median_ns(const ShapeSamples& samples) {
  return quantile(corrected_ns(samples), 0.5);
}

double min_ns(const ShapeSamples& samples) {
  return least(corrected_ns(samples));
}

std::vector<Outcome> with_reference_correction(std::vector<Outcome> outcomes) {
  std::map<std::tuple<KernelId, std::int64_t, std::int64_t, std::int64_t>, std::vector<double>>
      seen;
  for (const Outcome& outcome : outcomes) {
    for (const ShapeSamples& samples : outcome.shapes) {
      if (samples.reference_ns.empty()) continue;
      seen[reference_key(outcome, samples.shape)].push_back(quantile(samples.reference_ns, 0.5));
    }
  }
  for (Outcome& outcome : outcomes) {
    for (ShapeSamples& samples : outcome.shapes) {
      if (samples.ns.empty()) continue;
      const auto found = seen.find(reference_key(outcome, samples.shape));
      if (found != seen.end() && found->second.size() >= kSeenOften) {
        samples.reference_known_ns = usual_ns(found->second);
      }
      const double slow_down = measured_slow_down(samples);
      for (double& ns : samples.ns) ns /= slow_down;
      samples.reference_ns.clear();
      samples.reference_known_ns = 0.0;
    }
  }
  return outcomes;
}

}  // namespace tilewright
