#include "tuner/journal/records/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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

double max_ratio(const std::vector<double>& samples, const std::vector<double>& others) {
  if (samples.empty() || samples.size() != others.size()) return 0.0;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < samples.size(); ++i) ratios.push_back(samples[i] / others[i]);
  return quantile(ratios, 0.5) + median_uncertainty(ratios);
}

double trimmed_mean(std::vector<double> values, std::size_t out) {
  std::sort(values.begin(), values.end());
  const auto skipped = static_cast<std::ptrdiff_t>(out);
  const double sum = std::accumulate(values.begin() + skipped, values.end() - skipped, 0.0);
  return sum / static_cast<double>(values.size() - 2 * out);
}

double mean_uncertainty(std::vector<double> values, std::size_t out) {
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < out; ++i) {
    values[i] = values[out];
    values[values.size() - 1 - i] = values[values.size() - 1 - out];
  }
  const double mean = trimmed_mean(values, 0);
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto left = static_cast<double>(values.size() - 2 * out);
  // Student's t at 97.5 %, accurate to 3 % for two or more degrees of freedom.
  const double t = 1.96 * (1.0 + 1.5 / (left - 1.75));
  return t * std::sqrt(squares / (left - 1.0) / left);
}

bool is_tie(const KnownTime& a, const KnownTime& b) {
  const double lesser = std::min(a.value, b.value);
  const double noise = a.uncertainty + b.uncertainty;
  return std::abs(a.value - b.value) <= std::clamp(noise, kMinTie * lesser, kWidestTie * lesser);
}

bool is_tie(const std::vector<double>& a, const std::vector<double>& b) {
  return is_tie(KnownTime{quantile(a, 0.5), median_uncertainty(a)},
                KnownTime{quantile(b, 0.5), median_uncertainty(b)});
}

}  // namespace tilewright
