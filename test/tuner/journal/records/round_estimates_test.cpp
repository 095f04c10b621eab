// Tests of the estimates of finals on artificial machines with known times.
#include "tuner/journal/records/round_estimates.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

constexpr GemmShape kShape{96, 96, 96};
constexpr int kBlocks = 4;
constexpr int kTrials = 1000;
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

std::vector<Round> held_finals(Machine& machine) {
  std::vector<Round> rounds;
  std::vector<double> own(kAll);
  for (int i = 0; i < kBlocks * kRoundsOfBlock; ++i) {
    for (std::size_t f = 0; f < kAll && i % kRoundsOfBlock == 0; ++f) {
      own[f] = machine.in_process(f <= kTwin ? 1000.0 : f == kSlow ? 1050.0 : 1200.0);
    }
    std::vector<std::size_t> order(kAll);
    for (std::size_t f = 0; f < kAll; ++f) order[f] = f;
    for (std::size_t f = kAll; f > 1; --f) std::swap(order[f - 1], order[machine.choose(f)]);
    Round& round = rounds.emplace_back();
    round.round = i;
    round.block = i / kRoundsOfBlock;
    round.shape = kShape;
    for (const std::size_t f : order) round.ns[f] = machine.sample(own[f]);
    machine.pass(60);
  }
  return rounds;
}

// Runs kTrials finals. Checks in how many the slow kernel is distinguished from both fast ones, and
// in how many those tie.
void check(const Troubles& troubles, int min_distinguished, int equal) {
  int num_distinguished = 0;
  int tied = 0;
  for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
    Machine machine(troubles, seed);
    const auto known = estimates(held_finals(machine), kShape);
    const std::size_t best = known.at(kFast).ns <= known.at(kTwin).ns ? kFast : kTwin;
    const auto of = [&](std::size_t f) {
      return KnownTime{known.at(f).ns, uncertainty_ns(known.at(f), known.at(best))};
    };
    if (of(kFast).value < of(kSlow).value && !is_tie(of(kFast), of(kSlow))) ++num_distinguished;
    if (is_tie(of(kFast), of(kTwin))) ++tied;
  }
  CHECK(num_distinguished >= min_distinguished);
  CHECK(tied >= equal);
}

TEST_CASE("finals: on a calm machine a difference of 5 % is detected and equal kernels tie",
          "[long]") {
  check({.spikes = 0.0, .walk = 0.0, .step_s = 0.0}, kTrials, 970);
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
std::vector<Round> make_rounds(std::size_t finalists, int count, double noise = 0.004) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Round> rounds;
  for (int i = 0; i < count; ++i) {
    Round& round = rounds.emplace_back();
    round.round = i;
    round.block = i / kRoundsOfBlock;
    round.shape = kShape;
    for (std::size_t f = 0; f < finalists; ++f) {
      round.ns[f] = (i % 2 == 0 ? 1000.0 : 2000.0) * (1.0 + noise * uniform(random));
    }
  }
  return rounds;
}

double spread(const std::vector<double>& samples) {
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  return *most / *least - 1.0;
}

TEST_CASE("samples are divided by the slow-down of the surviving finalists") {
  const auto known = estimates(make_rounds(20, 15), kShape);
  REQUIRE(known.size() == 20);
  for (const auto& [finalist, estimate] : known) {
    CHECK(estimate.samples_ns.size() == 15);
    CHECK(estimate.medians.size() == 3);
    CHECK(estimate.survives);
    CHECK(spread(estimate.samples_ns) < 0.015);
  }
  CHECK(estimates(make_rounds(20, 15), {1, 2, 3}).empty());
  CHECK(estimates({}, kShape).empty());
}

// A median over all participants would decrease as slow ones drop out, and the others would seem
// slower.
TEST_CASE("the median does not change when slow finalists drop out") {
  std::vector<Round> rounds = make_rounds(40, 30);
  for (Round& round : rounds) {
    for (std::size_t f = 8; f < 40; ++f) round.ns[f] *= 1.02;
    if (round.block >= 2) round.ns.erase(round.ns.lower_bound(8), round.ns.end());
  }
  const auto known = estimates(rounds, kShape);
  for (std::size_t f = 8; f < 40; ++f) {
    CHECK_FALSE(known.at(f).survives);
    CHECK(known.at(f).medians.size() == 2);
    CHECK(known.at(f).ns / known.at(0).ns == Approx(1.02).margin(0.006));
  }
}

TEST_CASE("the time of a finalist is the mean over blocks, and its uncertainty their spread") {
  std::vector<Round> rounds = make_rounds(3, 20, 0.0);
  // The last one takes 8 % longer in one process of four, and has one outlier.
  for (Round& round : rounds) {
    round.ns[2] *= round.block == 1 ? 1.08 * 1.05 : 1.05;
    round.ns[1] *= 1.01;
  }
  rounds[0].ns[2] *= 9.0;
  const auto known = estimates(rounds, kShape);
  const Estimate& best = known.at(0);
  CHECK(uncertainty_ns(best, best) == 0.0);
  CHECK(uncertainty_ns(known.at(1), best) == Approx(0.0).margin(1e-6));
  CHECK(known.at(2).ns / known.at(0).ns == Approx(1.05 * std::pow(1.08, 0.25)).epsilon(1e-4));
  // Student's t is 3.18 for three degrees of freedom, and the deviation is log(1.08) / 2.
  CHECK(uncertainty_ns(known.at(2), best) / known.at(2).ns ==
        Approx(3.18 * std::log(1.08) / 2.0 / 2.0).epsilon(0.03));
  // A finalist that failed is not used as the reference.
  const auto without = estimates(rounds, kShape, {{0, "hang"}});
  CHECK(without.count(0) == 0);
  CHECK(without.at(1).survives);
}

TEST_CASE("with at least five blocks, a single outlier has no effect") {
  for (const double off : {0.56, 2.0}) {
    std::vector<Round> rounds = make_rounds(3, 30, 0.0);
    for (Round& round : rounds) round.ns[2] *= round.block == 1 ? off : 1.05;
    const auto known = estimates(rounds, kShape);
    CHECK(known.at(2).medians.size() == 6);
    CHECK(known.at(2).ns / known.at(0).ns == Approx(1.05).epsilon(1e-6));
    CHECK(uncertainty_ns(known.at(2), known.at(0)) == Approx(0.0).margin(1e-6));
  }
}

// This finalist was not affected by what slowed the others down. Dividing by their slow-down would
// halve its time.
TEST_CASE("no corrected sample of a finalist is below its fastest raw sample") {
  std::vector<Round> rounds = make_rounds(4, 20, 0.0);
  for (Round& round : rounds) {
    const bool is_calm = round.round % 4 != 0;
    for (auto& [finalist, ns] : round.ns) ns = is_calm || finalist == 0 ? 1000.0 : 2000.0;
  }
  for (const auto& [finalist, estimate] : estimates(rounds, kShape)) {
    CHECK(estimate.samples_ns == std::vector<double>(20, 1000.0));
    CHECK(estimate.ns == Approx(1000.0));
  }
  for (const Round& round : even_rounds(rounds, kShape, {})) {
    for (const auto& [finalist, ns] : round.ns) CHECK(ns == 1000.0);
  }
}

TEST_CASE("a round without any survivor gives no slow-down") {
  std::vector<Round> rounds = make_rounds(3, 20, 0.0);
  for (int i = 5; i < 10; ++i) rounds[static_cast<std::size_t>(i)].ns = {{2, 1500.0}};
  for (int i = 10; i < 20; ++i) rounds[static_cast<std::size_t>(i)].ns.erase(2);
  const auto known = estimates(rounds, kShape);
  CHECK(known.at(2).medians.size() == 1);
  CHECK(known.at(2).ns == Approx(known.at(0).ns));
}

TEST_CASE("a machine that is slow for most of a final is distinguished from a calm one") {
  std::vector<Round> rounds = make_rounds(20, 40);
  for (Round& round : rounds) {
    for (auto& [finalist, ns] : round.ns) {
      ns *= (round.round % 8 == 0 ? 1.0 : 1.25) / (round.round % 2 == 0 ? 1.0 : 2.0);
    }
  }
  CHECK(usual_slow_down(rounds, kShape) == Approx(0.25).margin(0.02));
  for (Round& round : rounds) {
    for (auto& [finalist, ns] : round.ns) ns = round.round % 4 == 0 ? 1250.0 : 1000.0;
  }
  CHECK(usual_slow_down(rounds, kShape) == Approx(0.0).margin(0.001));
  CHECK(usual_slow_down(rounds, {1, 2, 3}) == 0.0);
  rounds.resize(9);
  CHECK(usual_slow_down(rounds, kShape) == 0.0);  // too few rounds to decide
}

}  // namespace
}  // namespace tilewright
