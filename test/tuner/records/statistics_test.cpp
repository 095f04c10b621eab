// Statistics are tested on synthetic noise, where the truth is known.
#include "tuner/records/statistics.hpp"

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
  int told_apart = 0;
  int equal = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto fast = noisy(100, 9, random);
    const auto slow = noisy(105, 9, random);
    const auto other = noisy(100, 9, random);
    if (!is_tie(fast, slow) && quantile(fast, 0.5) < quantile(slow, 0.5)) ++told_apart;
    if (is_tie(fast, other)) ++equal;
  }
  CHECK(told_apart >= kTrials * 99 / 100);
  CHECK(equal >= kTrials * 95 / 100);
}

// Forks that count alike.
std::vector<ForkTime> forks_of(const std::vector<double>& ns) {
  std::vector<ForkTime> forks;
  for (const double each : ns) forks.push_back({each, 1.0});
  return forks;
}

TEST_CASE("a weighted median has half of the weight on each side") {
  CHECK(weighted_median({{3.0, 1.0}, {1.0, 1.0}, {9.0, 1.0}}) == 3.0);
  CHECK(weighted_median({{3.0, 7.0}, {1.0, 7.0}, {9.0, 7.0}, {4.0, 7.0}}) == 3.5);
  CHECK(weighted_median({{5.0, 0.1}}) == 5.0);
  CHECK(weighted_median({{1.0, 5.0}, {2.0, 1.0}, {3.0, 1.0}}) < 1.5);
  CHECK(weighted_median({{1.0, 100.0}, {2.0, 1.0}, {3.0, 1.0}}) == Approx(1.0).margin(0.05));
}

TEST_CASE("forks count by their weights") {
  const Known equal = known_of({}, {{100.0, 3.0}, {104.0, 3.0}, {102.0, 3.0}});
  CHECK(equal.value == Approx(known_of({}, forks_of({100.0, 104.0, 102.0})).value));
  CHECK(equal.uncertainty == Approx(known_of({}, forks_of({100.0, 104.0, 102.0})).uncertainty));
  // One that says next to nothing moves nothing, nor does it make the others better known.
  const std::vector<double> three = {100.0, 101.0, 102.0};
  std::vector<ForkTime> four = forks_of(three);
  four.push_back({150.0, 1e-3});
  CHECK(known_of({}, four).value == Approx(known_of({}, forks_of(three)).value).epsilon(0.001));
  CHECK(known_of({}, four).uncertainty >= 0.99 * known_of({}, forks_of(three)).uncertainty);
  // What is known of forks of which half were disturbed, in 1000 trials.
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  int within = 0;
  double by_weight = 0.0;
  double alike = 0.0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<ForkTime> forks;
    std::vector<double> ns;
    for (int i = 0; i < 20; ++i) {
      const double deviation = i % 2 == 0 ? 0.01 : 0.06;
      forks.push_back({100.0 * std::exp(deviation * normal(random)), 1.0 / deviation / deviation});
      ns.push_back(forks.back().ns);
    }
    const Known known = known_of({}, forks);
    if (std::abs(known.value - 100.0) <= known.uncertainty) ++within;
    by_weight += std::pow(known.value - 100.0, 2);
    alike += std::pow(known_of({}, forks_of(ns)).value - 100.0, 2);
  }
  CHECK(within >= 920);
  CHECK(by_weight < 0.4 * alike);
}

TEST_CASE("what forks differ by is what is not known") {
  const std::vector<double> samples = {100, 101, 100, 101, 110, 111, 110, 111, 120, 121, 120, 121};
  const Known of_three = known_of(samples, forks_of({100.0, 110.0, 121.0}));
  CHECK(of_three.value == Approx(110.0));
  // Student's t at two degrees of freedom is 4.303, and the deviation log(1.1).
  CHECK(of_three.uncertainty ==
        Approx(110.0 * 4.303 * std::log(1.1) / std::sqrt(3.0)).epsilon(0.03));
  // Of ten the least and the greatest do not count: at seven it is 2.365.
  std::vector<double> ten = {1.0, 9000.0};
  for (int i = 0; i < 8; ++i) ten.push_back(i % 2 == 0 ? 100.0 : 110.0);
  const double deviation = std::log(1.1) * std::sqrt(2.5 / 9.0);
  CHECK(known_of(samples, forks_of(ten)).value == Approx(std::sqrt(11000.0)));
  CHECK(known_of(samples, forks_of(ten)).uncertainty ==
        Approx(std::sqrt(11000.0) * 2.365 * deviation / std::sqrt(10.0) / 0.8).epsilon(0.03));
  // A kernel that is slow in one process of four is slow in one of four.
  CHECK(known_of(samples, forks_of({100.0, 100.0, 100.0, 108.0})).value ==
        Approx(101.94).epsilon(0.001));
  // From five on not by one that was disturbed all the time,
  CHECK(known_of(samples, forks_of({100.0, 140.0, 100.0, 100.0, 100.0})).value == Approx(100.0));
  // and of many what three were slow by counts once: two may have been disturbed.
  std::vector<double> forty(40, 100.0);
  forty[3] = forty[17] = forty[30] = 140.0;
  CHECK(known_of(samples, forks_of(forty)).value == Approx(100.0 * std::pow(1.4, 1.0 / 36.0)));
  // Two forks tell nothing.
  CHECK(known_of(samples, forks_of({50.0, 150.0})).value == quantile(samples, 0.5));
  CHECK(known_of(samples, {}).uncertainty == median_uncertainty(samples));
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
