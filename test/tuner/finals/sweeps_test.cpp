// Finals on made-up machines whose truth is known: what is ranked right, and what is called equal?
#include "tuner/finals/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.hpp"
#include "tuner/records/statistics.hpp"

namespace tilewright {
namespace {

constexpr GemmShape kShape{96, 96, 96};
constexpr int kRounds = 15;
constexpr int kTrials = 1000;
constexpr std::size_t kFast = 1;    // finalists; 0 is the reference
constexpr std::size_t kTwin = 2;    // as fast
constexpr std::size_t kSlow = 3;    // 5 % slower
constexpr std::size_t kOthers = 6;  // that take their share of a sweep, too

// What is wrong with a machine.
struct Troubles {
  double jitter = 0.004;  // standard deviation of a sample, as a share
  double spikes = 0.1;    // share of samples that take 10 % longer or more
  double walk = 0.001;    // standard deviation of the clock's drift from one sample to the next
  double step_s = 3.0;    // the clock halves, or is itself again, that often; 0: never
};

class Machine {
 public:
  Machine(const Troubles& troubles, std::uint64_t seed) : troubles_(troubles), random_(seed) {
    halved_ = uniform() < 0.5;
  }

  // One sample of a kernel that takes ns on a calm machine. Samples are 1 ms long, and what comes
  // before one (the first launch, the choice of a length) as much again.
  double sample(double ns) {
    constexpr double kSampleS = 0.002;
    drift_ = 0.998 * drift_ + troubles_.walk * normal();
    if (troubles_.step_s > 0.0 && uniform() < kSampleS / troubles_.step_s) halved_ = !halved_;
    double sample = ns * std::exp(drift_ + troubles_.jitter * normal()) * (halved_ ? 2.0 : 1.0);
    if (uniform() < troubles_.spikes) sample *= 1.1 - 0.3 * std::log(1.0 - uniform());
    return sample;
  }

  // What the machine does meanwhile (other shapes), in samples.
  void pass(int samples) {
    for (int i = 0; i < samples; ++i) sample(1.0);
  }

  std::size_t choose(std::size_t among) { return static_cast<std::size_t>(random_() % among); }

 private:
  // Not std distributions: a seed is to mean the same noise everywhere.
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

std::vector<Sweep> held_finals(Machine& machine, int rounds = kRounds) {
  std::vector<Sweep> sweeps;
  for (int round = 0; round < rounds; ++round) {
    Sweep sweep{round, kShape, machine.sample(900.0), 0.0, {}};
    std::vector<std::size_t> order(kOthers + kSlow);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i + 1;
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[machine.choose(i)]);
    }
    for (const std::size_t finalist : order) {
      const double ns = finalist <= kTwin ? 1000.0 : finalist == kSlow ? 1050.0 : 1200.0;
      sweep.ns[finalist] = machine.sample(ns);
    }
    sweep.reference_after_ns = machine.sample(900.0);
    sweeps.push_back(std::move(sweep));
    machine.pass(60);
  }
  return sweeps;
}

// Of kTrials finals: in how many is the slow one told from both fast ones, and are those a tie?
struct Verdicts {
  int told_apart = 0;
  int equal = 0;
};

Verdicts judge(const Troubles& troubles) {
  Verdicts verdicts;
  for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
    Machine machine(troubles, seed);
    auto samples = corrected_samples(held_finals(machine), kShape);
    const auto told_from_slow = [&](std::size_t finalist) {
      return quantile(samples[finalist], 0.5) < quantile(samples[kSlow], 0.5) &&
             !is_tie(samples[finalist], samples[kSlow]);
    };
    if (told_from_slow(kFast)) ++verdicts.told_apart;
    if (is_tie(samples[kFast], samples[kTwin])) ++verdicts.equal;
  }
  return verdicts;
}

void check(const Troubles& troubles, int told_apart, int equal) {
  const Verdicts verdicts = judge(troubles);
  CHECK(verdicts.told_apart >= told_apart);
  CHECK(verdicts.equal >= equal);
}

TEST_CASE("finals: on a calm machine 5 % is told apart and equals are equal", "[long]") {
  check({.spikes = 0.0, .walk = 0.0, .step_s = 0.0}, kTrials, 980);
}

TEST_CASE("finals: with a tenth of the samples spoilt, 5 % is told apart and equals are equal",
          "[long]") {
  check({.walk = 0.0, .step_s = 0.0}, 990, 980);
}

TEST_CASE("finals: with a drifting clock, 5 % is told apart and equals are equal", "[long]") {
  check({.spikes = 0.0, .step_s = 0.0}, 990, 980);
}

TEST_CASE("finals: with a clock that halves for seconds, 5 % is told apart and equals are equal",
          "[long]") {
  check({.spikes = 0.0, .walk = 0.0}, 990, 980);
}

TEST_CASE("finals: with all of these, 5 % is told apart and equals are equal") {
  check({}, 990, 980);
}

// A tie is at most 1 % wide, so that no real loss hides: where noise is as large, luck decides
// between equals.
TEST_CASE("finals: three times the jitter, more spikes and steps do not hide 5 %", "[long]") {
  check({.jitter = 0.012, .spikes = 0.15, .step_s = 1.0}, 980, 650);
}

TEST_CASE("finals: where the clock halves, times as they are would rank wrong") {
  int right = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Machine machine({.step_s = 0.05}, seed);
    std::map<std::size_t, std::vector<double>> samples;
    for (const Sweep& sweep : held_finals(machine)) {
      for (const auto& [finalist, ns] : sweep.ns) samples[finalist].push_back(ns);
    }
    if (quantile(samples[kFast], 0.5) < 0.97 * quantile(samples[kSlow], 0.5)) ++right;
  }
  CHECK(right < 180);
}

TEST_CASE("samples are divided by the reference's pace, of the shape that is asked for") {
  constexpr GemmShape kOther{8, 8, 8};
  const std::vector<Sweep> sweeps = {{0, kShape, 100, 100, {{0, 100}, {1, 200}}},
                                     {0, kOther, 7, 7, {{1, 5}}},
                                     {1, kShape, 199, 201, {{0, 200}, {1, 410}}},
                                     {2, kShape, 101, 99, {{0, 100}, {2, 50}}}};
  const auto samples = corrected_samples(sweeps, kShape);
  REQUIRE(samples.size() == 3);
  CHECK(samples.at(0) == std::vector<double>{100, 100, 100});
  CHECK(samples.at(1) == std::vector<double>{200, 205});
  CHECK(samples.at(2) == std::vector<double>{50});
  CHECK(corrected_samples(sweeps, {1, 2, 3}).empty());
}

TEST_CASE("a sweep that straddles a change of pace is left out") {
  const auto samples = corrected_samples({{0, kShape, 100, 100, {{1, 200}}},
                                          {1, kShape, 100, 200, {{1, 400}}},
                                          {2, kShape, 100, 102, {{1, 202}}}},
                                         kShape);
  REQUIRE(samples.at(1).size() == 2);
  CHECK(samples.at(1)[0] == Approx(200));
  CHECK(samples.at(1)[1] == Approx(200));
}

TEST_CASE("where the reference never stands still, the calmer half of the sweeps is taken") {
  std::vector<Sweep> sweeps;
  for (int i = 0; i < 9; ++i) sweeps.push_back({i, kShape, 100, 110.0 + i, {{1, 200.0 + i}}});
  CHECK(corrected_samples(sweeps, kShape).at(1).size() == 5);
  sweeps.resize(1);
  CHECK(corrected_samples(sweeps, kShape).at(1) == std::vector<double>{200});
}

// Samples of finalists from 1 on that take 1000 ns each, on a machine whose pace doubles every
// other sweep; with so much noise, and much more of the reference.
std::vector<Sweep> crowd(std::size_t finalists, int rounds, double noise) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Sweep> sweeps;
  for (int round = 0; round < rounds; ++round) {
    const double pace = round % 2 == 0 ? 1.0 : 2.0;
    Sweep sweep{round, kShape, 0.0, 0.0, {}};
    sweep.reference_before_ns = pace * 1000.0 * (1.0 + 0.05 * uniform(random));
    sweep.reference_after_ns = pace * 1000.0 * (1.0 + 0.05 * uniform(random));
    for (std::size_t i = 1; i <= finalists; ++i) {
      sweep.ns[i] = pace * 1000.0 * (1.0 + noise * uniform(random));
    }
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

double spread(const std::vector<double>& samples) {
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  return *most / *least - 1.0;
}

TEST_CASE("a crowd tells a sweep's pace better than its reference does") {
  const auto samples = corrected_samples(crowd(20, 12, 0.004), kShape);
  REQUIRE(samples.size() == 20);
  for (const auto& [finalist, ns] : samples) {
    INFO(finalist);
    CHECK(ns.size() == 12);  // however the reference moves
    CHECK(spread(ns) < 0.015);
  }
  // Where there is none, there is but the reference, and half of the sweeps at least count.
  const auto few = corrected_samples(crowd(3, 12, 0.004), kShape);
  CHECK(few.at(1).size() >= 6);
  CHECK(spread(few.at(1)) > 0.015);
}

TEST_CASE("who left is not told by a reference that has changed beside the others since") {
  const auto stay = static_cast<std::size_t>(GENERATE(6, 7, 8, 12));
  std::vector<Sweep> sweeps = crowd(40, 60, 0.004);
  for (Sweep& sweep : sweeps) {
    for (std::size_t finalist = stay + 1; finalist <= 40; ++finalist) sweep.ns[finalist] *= 1.02;
    if (sweep.round < 12) continue;
    sweep.ns.erase(sweep.ns.upper_bound(stay), sweep.ns.end());
    sweep.reference_before_ns *= 1.05;
    sweep.reference_after_ns *= 1.05;
  }
  const auto samples = corrected_samples(sweeps, kShape);
  const double stayed = quantile(samples.at(1), 0.5);
  for (std::size_t finalist = stay + 1; finalist <= 40; ++finalist) {
    INFO(finalist);
    CHECK(quantile(samples.at(finalist), 0.5) / stayed == Approx(1.02).margin(0.006));
  }
}

TEST_CASE("a sweep whose finalists disagree on its pace is left out") {
  std::vector<Sweep> sweeps = crowd(20, 12, 0.004);
  for (std::size_t finalist = 1; finalist <= 10; ++finalist) sweeps[5].ns[finalist] *= 1.5;
  for (std::size_t finalist = 1; finalist <= 6; ++finalist) sweeps[7].ns[finalist] *= 2.0;
  sweeps[9].ns[1] *= 2.0;  // a spike is not the sweep's
  CHECK(corrected_samples(sweeps, kShape).at(1).size() == 10);
}

TEST_CASE("a machine that is slow for most of a final is told from a calm one") {
  std::vector<Sweep> sweeps = crowd(20, 40, 0.004);  // twice as slow in every other sweep
  CHECK(slowdown(sweeps, kShape) == Approx(0.5).margin(0.02));  // between both paces
  for (Sweep& sweep : sweeps) {
    const double pace = sweep.round % 8 == 0 ? 1.0 : 1.25;
    for (auto& [finalist, ns] : sweep.ns) ns *= pace / (sweep.round % 2 == 0 ? 1.0 : 2.0);
  }
  CHECK(slowdown(sweeps, kShape) == Approx(0.25).margin(0.02));
  for (Sweep& sweep : sweeps) {  // for a quarter of it: the others say what there is to say
    for (auto& [finalist, ns] : sweep.ns) ns = sweep.round % 4 == 0 ? 1250.0 : 1000.0;
  }
  CHECK(slowdown(sweeps, kShape) == Approx(0.0).margin(0.001));
  CHECK(slowdown(sweeps, {1, 2, 3}) == 0.0);
  sweeps = crowd(20, 9, 0.004);
  CHECK(slowdown(sweeps, kShape) == 0.0);  // who knows
}

TEST_CASE("a fork's time is its samples', spikes cut off") {
  std::vector<Sweep> sweeps;
  for (int i = 0; i < 15; ++i) {
    sweeps.push_back({i, kShape, 100, 100, {{1, i / 5 == 1 ? 216.0 : 200.0}}});
    sweeps.back().fork = i / 5;
  }
  sweeps[1].ns[1] = 900.0;
  sweeps.push_back({15, {1, 2, 3}, 100, 100, {{1, 900.0}}});
  const CorrectedSweeps times = corrected(sweeps, kShape);
  REQUIRE(times.samples.at(1).size() == 15);
  REQUIRE(times.forks.at(1).size() == 3);
  // A sample counts as no further off than samples are anyhow: 2 %.
  CHECK(times.forks.at(1)[0].ns == Approx(200.0 * std::exp(0.02 / 5)).epsilon(0.001));
  // A kernel that takes 8 % longer in one process does.
  CHECK(times.forks.at(1)[1].ns == Approx(216.0).epsilon(0.001));
  CHECK(times.forks.at(1)[2].ns == Approx(200.0).epsilon(0.001));
}

TEST_CASE("a fork counts by its samples, and those by how well finalists agree meanwhile") {
  // Finalists 1 to 20 are off by up to 4 % in the first eight forks, by up to 8 % in the others.
  std::mt19937 random(4);
  std::vector<Sweep> sweeps;
  for (int i = 0; i < 47; ++i) {
    Sweep sweep{i, kShape, 100, 100, {}};
    sweep.fork = i / 4;
    const double most = sweep.fork < 8 ? 0.04 : 0.08;
    for (std::size_t finalist = 1; finalist <= 20; ++finalist) {
      const double share = static_cast<double>(random()) / 4294967296.0;
      sweep.ns[finalist] = 200.0 * (1.0 + most * (2.0 * share - 1.0));
    }
    sweeps.push_back(sweep);
  }
  const CorrectedSweeps times = corrected(sweeps, kShape);
  const std::vector<ForkTime>& forks = times.forks.at(1);
  REQUIRE(forks.size() == 12);
  CHECK(forks[0].weight > 2.0 * forks[8].weight);
  CHECK(forks[8].weight > forks[11].weight);  // of three samples
}

TEST_CASE("without a reference, samples are taken as they are") {
  const std::vector<Sweep> sweeps = {{0, kShape, 0, 0, {{1, 200}}}, {1, kShape, 0, 0, {{1, 210}}}};
  CHECK(corrected_samples(sweeps, kShape).at(1) == std::vector<double>{200, 210});
  CHECK(corrected_samples({}, kShape).empty());
}

TEST_CASE("a reference that fails early does not decide which samples count") {
  const std::vector<Sweep> sweeps = {{0, kShape, 100, 100, {{1, 300}}},
                                     {1, kShape, 0, 0, {{1, 200}}},
                                     {2, kShape, 0, 0, {{1, 210}}}};
  CHECK(corrected_samples(sweeps, kShape).at(1) == std::vector<double>{200, 210});
}

}  // namespace
}  // namespace tilewright
