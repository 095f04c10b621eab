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

bool is_tie(const std::vector<double>& a, const std::vector<double>& b) {
  const double median_a = quantile(a, 0.5);
  const double median_b = quantile(b, 0.5);
  const double lesser = std::min(median_a, median_b);
  const double noise = median_uncertainty(a) + median_uncertainty(b);
  return std::abs(median_a - median_b) <= std::clamp(noise, 0.005 * lesser, 0.01 * lesser);
}

}  // namespace tilewright
