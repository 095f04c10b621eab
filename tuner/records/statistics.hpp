// What do repeated measurements say, and when do two of them say the same?
#pragma once

#include <cstddef>
#include <vector>

namespace tilewright {

// Median and spread of samples, in the samples' unit.
struct Summary {
  double median = 0.0;
  double low = 0.0;   // 10th percentile
  double high = 0.0;  // 90th percentile
  int samples = 0;
};

// The p-quantile (0 to 1) with linear interpolation between order statistics. samples must not be
// empty.
double quantile(std::vector<double> samples, double p);

// samples must not be empty.
Summary summarize(const std::vector<double>& samples);

// Half width of a 95 % interval of the median, 1.57 IQR / sqrt(n) (McGill, Tukey, Larsen 1978,
// "Variations of box plots"), times 1 + 2 / n: quartiles of few samples lie too close together.
// Robust against outliers, and 0 only if at least half of the samples are equal.
double median_uncertainty(const std::vector<double>& samples);

// The mean of the values without the `out` least and greatest of them; more than 2 out of them.
double trimmed_mean(std::vector<double> values, std::size_t out);
// Half width of a 95 % interval of it: Student's t of what is left, and the deviation of all, with
// those that are out where the last ones inside are (Yuen 1974, "The two-sample trimmed t for
// unequal population variances"). At least two values more than 2 out.
double mean_uncertainty(std::vector<double> values, std::size_t out = 0);

// What is known of a time, and half of a 95 % interval.
struct Known {
  double value = 0.0;
  double uncertainty = 0.0;
};

// True if a and b differ by no more than noise explains. The band is at least 0.5 % (timer and
// clock steps) and at most 1 % of the lesser value: on a noisy machine a real loss must not hide.
inline constexpr double kLeastTie = 0.005;
inline constexpr double kWidestTie = 0.01;
bool is_tie(const Known& a, const Known& b);
bool is_tie(const std::vector<double>& a, const std::vector<double>& b);  // of samples

}  // namespace tilewright
