// Statistics are tested on synthetic noise, where the truth is known.
#include "tuner/journal/records/statistics.hpp"

#include <cmath>
#include <random>

#include "catch.hpp"

namespace tilewright {
namespace {

// Times as a machine gives them: a base, a little jitter upwards, and every tenth time a spike.
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

TEST_CASE("a summary holds median, spread and count") {
  const Summary summary = summarize({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(summary.median == 6);
  CHECK(summary.low == 2);
  CHECK(summary.high == 10);
  CHECK(summary.samples == 11);
}

TEST_CASE("spikes do not move the median, nor its uncertainty much") {
  std::mt19937 random(1);
  int certain = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const std::vector<double> samples = noisy(100, 25, random);
    CHECK(summarize(samples).median < 101.5);
    if (median_uncertainty(samples) < 1.0) ++certain;
  }
  CHECK(certain >= 95);  // more than a quarter spoilt, by chance, is honestly uncertain
}

TEST_CASE("with a tenth of the samples spoilt, 5 % is told apart and equals are equal") {
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

TEST_CASE("a mean is known by how its values differ, and how many they are") {
  CHECK(mean_uncertainty({5.0, 5.0, 5.0}) == 0.0);
  // Student's t at two degrees of freedom is 4.303, at nine 2.262.
  CHECK(mean_uncertainty({100.0, 110.0, 120.0}) ==
        Approx(4.303 * 10.0 / std::sqrt(3.0)).epsilon(0.03));
  std::vector<double> ten;
  for (int i = 0; i < 10; ++i) ten.push_back(i % 2 == 0 ? 99.0 : 101.0);
  CHECK(mean_uncertainty(ten) ==
        Approx(2.262 * std::sqrt(10.0 / 9.0) / std::sqrt(10.0)).epsilon(0.03));
  CHECK(mean_uncertainty({1.0, 2.0}) > 6.0);  // two tell next to nothing
}

TEST_CASE("a trimmed mean and what is known of it do not heed one that is far off") {
  CHECK(trimmed_mean({1.0, 2.0, 3.0}, 0) == Approx(2.0));
  CHECK(trimmed_mean({99.0, 2.0, 3.0, 4.0, -99.0}, 1) == Approx(3.0));
  CHECK(mean_uncertainty({5.0, 5.0, 99.0, 5.0, 5.0}, 1) == 0.0);
  // 98 and 102 twice each: squares of 16 in all; three are left, of two degrees of freedom.
  CHECK(mean_uncertainty({50.0, 98.0, 100.0, 102.0, 500.0}, 1) ==
        Approx(4.303 * std::sqrt(16.0 / 2.0 / 3.0)).epsilon(0.03));
}

TEST_CASE("the tie band is never below half a per cent nor above one") {
  CHECK(is_tie({100, 100, 100}, {100.4, 100.4, 100.4}));
  CHECK_FALSE(is_tie({100, 100, 100}, {100.6, 100.6, 100.6}));
  // However wild the samples, a loss of 3 % does not hide.
  CHECK_FALSE(is_tie({50, 100, 150}, {50, 102, 150}));
  CHECK(is_tie({50, 100, 150}, {50, 100.9, 150}));
}

}  // namespace
}  // namespace tilewright
