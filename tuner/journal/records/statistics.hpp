// Statistics of repeated measurements, and the test whether two of them are equal within noise.
#pragma once

#include <cstddef>
#include <vector>

namespace tilewright {

// Median and spread of samples, in the unit of the samples.
struct Summary {
  double median = 0.0;
  double low = 0.0;   // 10th percentile
  double high = 0.0;  // 90th percentile
  int samples = 0;
};

// Returns the p-quantile (p from 0 to 1), with linear interpolation between order statistics.
// `samples` must not be empty.
double quantile(std::vector<double> samples, double p);

// `samples` must not be empty.
Summary summarize(const std::vector<double>& samples);

// Returns half the width of the 95 % interval of the median: 1.57 IQR / sqrt(n) (McGill, Tukey,
// Larsen 1978, "Variations of box plots"), times 1 + 2 / n because the quartiles of few samples are
// too close together. It is robust against outliers, and 0 only if at least half of the samples are
// equal.
double median_uncertainty(const std::vector<double>& samples);

// Returns the upper end of the 95 % interval of the median ratio of samples that were taken in the
// same rounds; 0 if there are none or their numbers differ.
double max_ratio(const std::vector<double>& samples, const std::vector<double>& others);

// Returns the mean without the `out` smallest and the `out` largest values. There must be more than
// 2 * out values.
double trimmed_mean(std::vector<double> values, std::size_t out);
// Returns half the width of the 95 % interval of the trimmed mean (Yuen 1974, "The two-sample
// trimmed t for unequal population variances"): Student's t for the remaining number of values,
// with the winsorized standard deviation. There must be at least 2 * out + 2 values.
double mean_uncertainty(std::vector<double> values, std::size_t out = 0);

// A time with half the width of its 95 % interval.
struct KnownTime {
  double value = 0.0;
  double uncertainty = 0.0;
};

// Returns true if a and b differ by no more than their noise explains. The tolerance is at least
// 0.5 % (resolution of timers and clocks) and at most 1 % of the smaller value, so that noise
// cannot hide a real difference.
inline constexpr double kMinTie = 0.005;
inline constexpr double kWidestTie = 0.01;
bool is_tie(const KnownTime& a, const KnownTime& b);
bool is_tie(const std::vector<double>& a, const std::vector<double>& b);  // compares samples

}  // namespace tilewright
