#include "tuner/records/statistics.hpp"

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

double weighted_median(std::vector<std::pair<double, double>> values_and_weights) {
  std::sort(values_and_weights.begin(), values_and_weights.end());
  double all = 0.0;
  for (const auto& [value, weight] : values_and_weights) all += weight;
  // A value's place is the middle of its weight.
  double before = 0.0;
  double last_place = 0.0;
  double last_value = values_and_weights.front().first;
  for (const auto& [value, weight] : values_and_weights) {
    const double place = before + weight / 2.0;
    if (place >= all / 2.0) {
      const double way = place > last_place ? (all / 2.0 - last_place) / (place - last_place) : 1.0;
      return last_value + way * (value - last_value);
    }
    before += weight;
    last_place = place;
    last_value = value;
  }
  return last_value;
}

Known known_of(const std::vector<double>& samples, const std::vector<ForkTime>& forks) {
  constexpr std::size_t kSome = 3;
  constexpr std::size_t kEnough = 5;  // to do without the least and the greatest
  if (forks.size() < kSome) return {quantile(samples, 0.5), median_uncertainty(samples)};
  std::vector<std::pair<double, double>> logs;  // and weights
  for (const ForkTime& fork : forks) logs.emplace_back(std::log(fork.ns), fork.weight);
  std::sort(logs.begin(), logs.end());
  // On each side.
  const std::size_t cut = logs.size() < kEnough ? 0 : std::max<std::size_t>(1, logs.size() / 20);
  double sum = 0.0;
  double weights = 0.0;
  double squares = 0.0;
  for (std::size_t i = cut; i < logs.size() - cut; ++i) {
    const auto& [log, weight] = logs[i];
    sum += weight * log;
    weights += weight;
    squares += weight * weight;
  }
  const double mean = sum / weights;
  // The mean's variance with what was cut off in its neighbour's place.
  double all = 0.0;
  double all_squares = 0.0;
  double variance = 0.0;
  for (const auto& [log, weight] : logs) {
    const double moved = std::clamp(log, logs[cut].first, logs[logs.size() - 1 - cut].first);
    variance += std::pow(weight * (moved - mean), 2);
    all += weight;
    all_squares += weight * weight;
  }
  variance /= all * all - all_squares;
  // Student's t at 97.5 %, within 3 % from two degrees of freedom on. As many count as there are
  // equal ones that would be known as well (Kish 1965, "Survey Sampling").
  const double count = std::max(2.0, weights * weights / squares);
  const double t = 1.96 * (1.0 + 1.5 / (count - 1.75));
  const double uncertainty = t * std::sqrt(variance) * all / weights;
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
