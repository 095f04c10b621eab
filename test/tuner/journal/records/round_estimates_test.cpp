// Tests of the estimates of finals on artificial machines with known times.
#include "tuner/journal/records/round_estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.hpp"
#include "tuner/journal/records/finals_record.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

constexpr GemmShape kRoundShape{96, 96, 96};
constexpr int kBlocks = 4;
constexpr int kRoundTrials = 1000;
constexpr std::size_t kFast = 0;
constexpr std::size_t kTwin = 1;  // equally fast
constexpr std::size_t kSlow = 2;  // 5 % slower
constexpr std::size_t kAll = 9;   // the others are 20 % slower

// Disturbances of a machine.
struct Troubles {
  double jitter = 0.004;  // standard deviation of a sample, relative
  // Relative deviation of a kernel in one process from its mean over processes.
  double process = 0.002;
  double spikes = 0.1;  // fraction of samples that take at least 10 % longer
  double walk = 0.001;  // standard deviation of the clock's drift from one sample to the next
  double step_s = 3.0;  // interval at which the clock halves or recovers; 0: never
};

class Machine {
 public:
  Machine(const Troubles& troubles, std::uint64_t seed) : troubles_(troubles), random_(seed) {
    halved_ = uniform() < 0.5;
  }

  // Returns one sample of a kernel that takes `ns` on a calm machine. Samples are 1 ms long, and
  // the preparation of a sample (first launch, choice of the number of launches) takes the same
  // time again.
  double sample(double ns) {
    constexpr double kSampleS = 0.002;
    drift_ = 0.998 * drift_ + troubles_.walk * normal();
    if (troubles_.step_s > 0.0 && uniform() < kSampleS / troubles_.step_s) halved_ = !halved_;
    double sample = ns * std::exp(drift_ + troubles_.jitter * normal()) * (halved_ ? 2.0 : 1.0);
    if (uniform() < troubles_.spikes) sample *= 1.1 - 0.3 * std::log(1.0 - uniform());
    return sample;
  }

  // Returns the time of a kernel in one process.
  double in_process(double ns) { return ns * std::exp(troubles_.process * normal()); }

  // Advances the time by that many samples, as if other shapes were measured.
  void pass(int samples) {
    for (int i = 0; i < samples; ++i) sample(1.0);
  }

  std::size_t choose(std::size_t among) { return static_cast<std::size_t>(random_() % among); }

 private:
  // Standard distributions are not used, because a seed must give the same noise everywhere.
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  double normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

  Troubles troubles_;
  std::mt19937_64 random_;
  double drift_ = 0.0;
  bool halved_ = false;
};

// The finalists.
const KernelId& finalist(std::size_t index) {
  static const std::vector<KernelId> all = [] {
    std::vector<KernelId> kernels;
    for (const int n : {1, 2, 3, 4, 6, 8}) {
      for (const int m : {1, 2, 3, 4, 6, 8, 12, 16}) {
        kernels.push_back(parse_kernel(fmt::format("gemm tile_m={} tile_n={}", m, n)));
      }
    }
    return kernels;
  }();
  return all.at(index);
}

Outcome sampled(std::size_t index, int round, double ns) {
  Outcome outcome;
  outcome.kernel = finalist(index);
  outcome.task = kFinals;
  outcome.process = round / kRoundsOfBlock;
  outcome.round = round;
  outcome.shapes.emplace_back();
  outcome.shapes[0].shape = kRoundShape;
  outcome.shapes[0].ns = {ns};
  return outcome;
}

// Changes the time of each sample. `change` is called with the index of the finalist, the outcome
// and the time.
template <class Change>
void for_each_sample(std::vector<Outcome>& finals, const Change& change) {
  for (Outcome& outcome : finals) {
    std::size_t index = 0;
    while (finalist(index) != outcome.kernel) ++index;
    change(index, outcome, outcome.shapes[0].ns[0]);
  }
}

std::vector<Outcome> held_finals(Machine& machine) {
  std::vector<Outcome> finals;
  std::vector<double> own(kAll);
  for (int i = 0; i < kBlocks * kRoundsOfBlock; ++i) {
    for (std::size_t f = 0; f < kAll && i % kRoundsOfBlock == 0; ++f) {
      own[f] = machine.in_process(f <= kTwin ? 1000.0 : f == kSlow ? 1050.0 : 1200.0);
    }
    std::vector<std::size_t> order(kAll);
    for (std::size_t f = 0; f < kAll; ++f) order[f] = f;
    for (std::size_t f = kAll; f > 1; --f) std::swap(order[f - 1], order[machine.choose(f)]);
    for (const std::size_t f : order) finals.push_back(sampled(f, i, machine.sample(own[f])));
    machine.pass(60);
  }
  return finals;
}

// Runs kRoundTrials finals. Checks in how many the slow kernel is distinguished from both fast
// ones, and in how many those tie.
void check(const Troubles& troubles, int min_distinguished, int equal) {
  int num_distinguished = 0;
  int tied = 0;
  for (std::uint64_t seed = 1; seed <= kRoundTrials; ++seed) {
    Machine machine(troubles, seed);
    const auto known = estimates(held_finals(machine), kRoundShape);
    const Estimate& fast = known.at(finalist(kFast));
    const Estimate& twin = known.at(finalist(kTwin));
    const Estimate& best = fast.ns <= twin.ns ? fast : twin;
    const auto of = [&](std::size_t f) {
      const Estimate& own = known.at(finalist(f));
      return KnownTime{own.ns, uncertainty_ns(own, best)};
    };
    if (of(kFast).value < of(kSlow).value && !is_tie(of(kFast), of(kSlow))) ++num_distinguished;
    if (is_tie(of(kFast), of(kTwin))) ++tied;
  }
  CHECK(num_distinguished >= min_distinguished);
  CHECK(tied >= equal);
}

TEST_CASE("finals: on a calm machine a difference of 5 % is detected and equal kernels tie",
          "[long]") {
  check({.spikes = 0.0, .walk = 0.0, .step_s = 0.0}, kRoundTrials, 970);
}

TEST_CASE(
    "finals: with outliers, drift and a halving clock, a difference of 5 % is detected, too") {
  // In one of a hundred blocks, three of five samples are outliers.
  check({}, 980, 900);
}

TEST_CASE("finals: differences of 1 % between processes do not hide 5 %", "[long]") {
  check({.process = 0.01, .step_s = 1.0}, 980, 600);
}

// Returns `count` rounds of finalists with indices from 0 on that take 1000 ns each, on a machine
// that is twice as slow in every other round.
std::vector<Outcome> make_finals(std::size_t finalists, int count, double noise = 0.004) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Outcome> finals;
  for (int i = 0; i < count; ++i) {
    for (std::size_t f = 0; f < finalists; ++f) {
      const double ns = (i % 2 == 0 ? 1000.0 : 2000.0) * (1.0 + noise * uniform(random));
      finals.push_back(sampled(f, i, ns));
    }
  }
  return finals;
}

double spread(const std::vector<double>& samples) {
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  return *most / *least - 1.0;
}

TEST_CASE("samples are divided by the slow-down of the surviving finalists") {
  const auto known = estimates(make_finals(20, 15), kRoundShape);
  REQUIRE(known.size() == 20);
  for (const auto& [kernel, estimate] : known) {
    CHECK(estimate.samples_ns.size() == 15);
    CHECK(estimate.medians.size() == 3);
    CHECK(estimate.survives);
    CHECK(spread(estimate.samples_ns) < 0.015);
  }
  CHECK(estimates(make_finals(20, 15), {1, 2, 3}).empty());
  CHECK(estimates({}, kRoundShape).empty());
}

// A median over all participants would decrease as slow ones drop out, and the others would seem
// slower.
TEST_CASE("the median does not change when slow finalists drop out") {
  std::vector<Outcome> finals = make_finals(40, 30);
  for_each_sample(finals, [](std::size_t f, const Outcome&, double& ns) {
    if (f >= 8) ns *= 1.02;
  });
  std::erase_if(finals, [](const Outcome& outcome) {
    std::size_t f = 0;
    while (f < 8 && finalist(f) != outcome.kernel) ++f;
    return outcome.process >= 2 && f == 8;
  });
  const auto known = estimates(finals, kRoundShape);
  for (std::size_t f = 8; f < 40; ++f) {
    const Estimate& estimate = known.at(finalist(f));
    CHECK_FALSE(estimate.survives);
    CHECK(estimate.medians.size() == 2);
    CHECK(estimate.ns / known.at(finalist(0)).ns == Approx(1.02).margin(0.006));
  }
}

TEST_CASE("the time of a finalist is the mean over blocks, and its uncertainty their spread") {
  std::vector<Outcome> finals = make_finals(3, 20, 0.0);
  // The last one takes 8 % longer in one process of four, and has one outlier.
  for_each_sample(finals, [](std::size_t f, const Outcome& outcome, double& ns) {
    if (f == 2) ns *= outcome.process == 1 ? 1.08 * 1.05 : 1.05;
    if (f == 1) ns *= 1.01;
    if (f == 2 && outcome.round == 0) ns *= 9.0;
  });
  const auto known = estimates(finals, kRoundShape);
  const Estimate& best = known.at(finalist(0));
  const Estimate& last = known.at(finalist(2));
  CHECK(uncertainty_ns(best, best) == 0.0);
  CHECK(uncertainty_ns(known.at(finalist(1)), best) == Approx(0.0).margin(1e-6));
  CHECK(last.ns / best.ns == Approx(1.05 * std::pow(1.08, 0.25)).epsilon(1e-4));
  // Student's t is 3.18 for three degrees of freedom, and the deviation is log(1.08) / 2.
  CHECK(uncertainty_ns(last, best) / last.ns ==
        Approx(3.18 * std::log(1.08) / 2.0 / 2.0).epsilon(0.03));
  // A finalist that failed is not used as the reference.
  const auto without = estimates(finals, kRoundShape, {{finalist(0), "hang"}});
  CHECK_FALSE(without.contains(finalist(0)));
  CHECK(without.at(finalist(1)).survives);
}

TEST_CASE("with at least five blocks, a single outlier has no effect") {
  for (const double off : {0.56, 2.0}) {
    std::vector<Outcome> finals = make_finals(3, 30, 0.0);
    for_each_sample(finals, [&](std::size_t f, const Outcome& outcome, double& ns) {
      if (f == 2) ns *= outcome.process == 1 ? off : 1.05;
    });
    const auto known = estimates(finals, kRoundShape);
    const Estimate& last = known.at(finalist(2));
    CHECK(last.medians.size() == 6);
    CHECK(last.ns / known.at(finalist(0)).ns == Approx(1.05).epsilon(1e-6));
    CHECK(uncertainty_ns(last, known.at(finalist(0))) == Approx(0.0).margin(1e-6));
  }
}

// This finalist was not affected by what slowed the others down. Dividing by their slow-down would
// halve its time.
TEST_CASE("no corrected sample of a finalist is below its fastest raw sample") {
  std::vector<Outcome> finals = make_finals(4, 20, 0.0);
  for_each_sample(finals, [](std::size_t f, const Outcome& outcome, double& ns) {
    ns = outcome.round % 4 != 0 || f == 0 ? 1000.0 : 2000.0;
  });
  for (const auto& [kernel, estimate] : estimates(finals, kRoundShape)) {
    CHECK(estimate.samples_ns == std::vector<double>(20, 1000.0));
    CHECK(estimate.ns == Approx(1000.0));
  }
  for (const Outcome& outcome : even_finals(finals, kRoundShape)) {
    CHECK(outcome.shapes.at(0).ns == std::vector<double>{1000.0});
  }
}

TEST_CASE("a round without any survivor gives no slow-down") {
  std::vector<Outcome> finals = make_finals(3, 20, 0.0);
  std::erase_if(finals, [](const Outcome& outcome) {
    const bool is_last = outcome.kernel == finalist(2);
    return outcome.process == 1 ? !is_last : outcome.process > 1 && is_last;
  });
  for_each_sample(finals, [](std::size_t, const Outcome& outcome, double& ns) {
    if (outcome.process == 1) ns = 1500.0;
  });
  const auto known = estimates(finals, kRoundShape);
  CHECK(known.at(finalist(2)).medians.size() == 1);
  CHECK(known.at(finalist(2)).ns == Approx(known.at(finalist(0)).ns));
}

TEST_CASE("a machine that is slow for most of a final is distinguished from a calm one") {
  std::vector<Outcome> finals = make_finals(20, 40);
  for_each_sample(finals, [](std::size_t, const Outcome& outcome, double& ns) {
    ns *= (outcome.round % 8 == 0 ? 1.0 : 1.25) / (outcome.round % 2 == 0 ? 1.0 : 2.0);
  });
  CHECK(usual_slow_down(finals, kRoundShape) == Approx(0.25).margin(0.02));
  for_each_sample(finals, [](std::size_t, const Outcome& outcome, double& ns) {
    ns = outcome.round % 4 == 0 ? 1250.0 : 1000.0;
  });
  CHECK(usual_slow_down(finals, kRoundShape) == Approx(0.0).margin(0.001));
  CHECK(usual_slow_down(finals, {1, 2, 3}) == 0.0);
  std::erase_if(finals, [](const Outcome& outcome) { return outcome.round >= 9; });
  CHECK(usual_slow_down(finals, kRoundShape) == 0.0);  // too few rounds to decide
}

}  // namespace
}  // namespace tilewright
