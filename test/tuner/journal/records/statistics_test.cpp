// Tests of statistics with artificial noise, for which the correct results are known.
#include "tuner/journal/records/statistics.hpp"

#include <cmath>
#include <random>

#include "catch.hpp"

namespace tilewright {
namespace {

// Returns typical times of a machine: a constant, a little positive jitter, and an outlier in every
// tenth.
std::vector<double> noisy(double base, int count, std::mt19937& random) {
  std::vector<double> samples;
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < count; ++i) {
    double sample = base * (1.0 + 0.01 * uniform(random));
    if (uniform(random) < 0.1) sample *= 1.0 + 3.0 * uniform(random);
    samples.push_back(sample);
  }
  return samples;
}

TEST_CASE("quantiles interpolate between order statistics") {
  CHECK(quantile({3, 1, 2}, 0.5) == 2);
  CHECK(quantile({4, 1, 2, 3}, 0.5) == 2.5);
  CHECK(quantile({5}, 0.1) == 5);
  CHECK(quantile({0, 10}, 0.1) == Approx(1));
  CHECK(quantile({0, 10, 20}, 1.0) == 20);
}

TEST_CASE("a summary contains median, spread and count") {
  const Summary summary = summarize({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(summary.median == 6);
  CHECK(summary.low == 2);
  CHECK(summary.high == 10);
  CHECK(summary.samples == 11);
}

TEST_CASE("outliers do not change the median, and hardly its uncertainty") {
  std::mt19937 random(1);
  int certain = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const std::vector<double> samples = noisy(100, 25, random);
    CHECK(summarize(samples).median < 101.5);
    if (median_uncertainty(samples) < 1.0) ++certain;
  }
  // If more than a quarter are outliers by chance, the median is rightly uncertain.
  CHECK(certain >= 95);
}

TEST_CASE("with a tenth of outliers, a difference of 5 % is detected and equal times are equal") {
  std::mt19937 random(2);
  int num_distinguished = 0;
  int equal = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto fast = noisy(100, 9, random);
    const auto slow = noisy(105, 9, random);
    const auto other = noisy(100, 9, random);
    if (!is_tie(fast, slow) && quantile(fast, 0.5) < quantile(slow, 0.5)) ++num_distinguished;
    if (is_tie(fast, other)) ++equal;
  }
  CHECK(num_distinguished >= kTrials * 99 / 100);
  CHECK(equal >= kTrials * 95 / 100);
}

TEST_CASE("the uncertainty of a mean depends on the spread and number of its values") {
  CHECK(mean_uncertainty({5.0, 5.0, 5.0}) == 0.0);
  // Student's t is 4.303 for two degrees of freedom and 2.262 for nine.
  CHECK(mean_uncertainty({100.0, 110.0, 120.0}) ==
        Approx(4.303 * 10.0 / std::sqrt(3.0)).epsilon(0.03));
  std::vector<double> ten;
  for (int i = 0; i < 10; ++i) ten.push_back(i % 2 == 0 ? 99.0 : 101.0);
  CHECK(mean_uncertainty(ten) ==
        Approx(2.262 * std::sqrt(10.0 / 9.0) / std::sqrt(10.0)).epsilon(0.03));
  CHECK(mean_uncertainty({1.0, 2.0}) > 6.0);  // two values contain hardly any information
}

TEST_CASE("a trimmed mean and its uncertainty ignore an outlier") {
  CHECK(trimmed_mean({1.0, 2.0, 3.0}, 0) == Approx(2.0));
  CHECK(trimmed_mean({99.0, 2.0, 3.0, 4.0, -99.0}, 1) == Approx(3.0));
  CHECK(mean_uncertainty({5.0, 5.0, 99.0, 5.0, 5.0}, 1) == 0.0);
  // 98 and 102 count twice each: the sum of squares is 16. Three values remain, with two degrees of
  // freedom.
  CHECK(mean_uncertainty({50.0, 98.0, 100.0, 102.0, 500.0}, 1) ==
        Approx(4.303 * std::sqrt(16.0 / 2.0 / 3.0)).epsilon(0.03));
}

TEST_CASE("the tolerance of a tie is at least half a per cent and at most one") {
  CHECK(is_tie({100, 100, 100}, {100.4, 100.4, 100.4}));
  CHECK_FALSE(is_tie({100, 100, 100}, {100.6, 100.6, 100.6}));
  // Even very noisy samples do not hide a loss of 3 %.
  CHECK_FALSE(is_tie({50, 100, 150}, {50, 102, 150}));
  CHECK(is_tie({50, 100, 150}, {50, 100.9, 150}));
}

TEST_CASE("the ratio of samples of the same rounds has an upper bound") {
  CHECK(max_ratio({}, {}) == 0.0);
  CHECK(max_ratio({1.0, 2.0}, {1.0}) == 0.0);
  // Although each round has other times.
  CHECK(max_ratio({9.0, 18.0, 27.0}, {10.0, 20.0, 30.0}) == Approx(0.9));
  CHECK(max_ratio({9.0, 11.0, 9.0, 11.0}, {10.0, 10.0, 10.0, 10.0}) > 1.0);
}

}  // namespace
}  // namespace tilewright
