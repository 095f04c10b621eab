// What do repeated measurements say, and when do two of them say the same?
#pragma once

#include <utility>
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

// What is known of a time, and half of a 95 % interval.
struct Known {
  double value = 0.0;
  double uncertainty = 0.0;
};

// What a kernel takes in one fork (worker process), and how much that counts beside other forks:
// the inverse of its variance, up to a factor that all have in common.
struct ForkTime {
  double ns = 0.0;
  double weight = 1.0;
};

// Median of values that count differently: half of the weight lies on each side, and between the
// two values in the middle it moves with their weights. Of equal weights the usual one. Not empty.
double weighted_median(std::vector<std::pair<double, double>> values_and_weights);

// Of samples, and of the forks that they come from: the geometric mean of these, weighted, since
// what a kernel takes in one process of four is as real as what it takes in the others, and samples
// of the same fork are not independent; from five forks on without the least and the greatest, of
// many without a twentieth on each side, which a machine that was busy for a whole fork spoils
// (trimmed means: Tukey and McLaughlin 1963). Fewer than three forks: the median of all samples.
Known known_of(const std::vector<double>& samples, const std::vector<ForkTime>& forks);

inline constexpr double kWidestTie = 0.01;
// True if a and b differ by no more than noise explains. The band is at least 0.5 % (timer and
// clock steps) and at most 1 % of the lesser value: on a noisy machine a real loss must not hide.
bool is_tie(const Known& a, const Known& b);
bool is_tie(const std::vector<double>& a, const std::vector<double>& b);  // of samples

}  // namespace tilewright
