#include "tuner/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright {

double quantile(std::vector<double> samples, double p) {
  std::sort(samples.begin(), samples.end());
  const double place = p * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (place - static_cast<double>(below)) * (samples[above] - samples[below]);
}

Summary summarize(const std::vector<double>& samples) {
  return {quantile(samples, 0.5), quantile(samples, 0.1), quantile(samples, 0.9),
          static_cast<int>(samples.size())};
}

double median_uncertainty(const std::vector<double>& samples) {
  const double iqr = quantile(samples, 0.75) - quantile(samples, 0.25);
  const auto n = static_cast<double>(samples.size());
  return 1.57 * (1.0 + 2.0 / n) * iqr / std::sqrt(n);
}

Known known_of(const std::vector<double>& samples, const std::vector<double>& heats) {
  constexpr std::size_t kSome = 3;
  constexpr std::size_t kEnough = 5;  // to do without the least and the greatest
  if (heats.size() < kSome) return {quantile(samples, 0.5), median_uncertainty(samples)};
  std::vector<double> logs;
  for (const double ns : heats) logs.push_back(std::log(ns));
  std::sort(logs.begin(), logs.end());
  // On each side.
  const std::size_t cut = logs.size() < kEnough ? 0 : std::max<std::size_t>(1, logs.size() / 20);
  double mean = 0.0;
  const auto kept = static_cast<double>(logs.size() - 2 * cut);
  for (std::size_t i = cut; i < logs.size() - cut; ++i) mean += logs[i] / kept;
  // The deviation with what was cut off in its neighbour's place.
  const auto n = static_cast<double>(logs.size());
  double variance = 0.0;
  for (const double log : logs) {
    const double moved = std::clamp(log, logs[cut], logs[logs.size() - 1 - cut]);
    variance += std::pow(moved - mean, 2) / (n - 1.0);
  }
  // Student's t at 97.5 %, within 3 % from two degrees of freedom on.
  const double t = 1.96 * (1.0 + 1.5 / (kept - 1.75));
  const double uncertainty = t * std::sqrt(variance / n) * n / kept;
  return {std::exp(mean), std::exp(mean) * uncertainty};
}

bool is_tie(const Known& a, const Known& b) {
  const double lesser = std::min(a.value, b.value);
  const double noise = a.uncertainty + b.uncertainty;
  return std::abs(a.value - b.value) <= std::clamp(noise, 0.005 * lesser, kWidestTie * lesser);
}

bool is_tie(const std::vector<double>& a, const std::vector<double>& b) {
  return is_tie(Known{quantile(a, 0.5), median_uncertainty(a)},
                Known{quantile(b, 0.5), median_uncertainty(b)});
}

}  // namespace tilewright
