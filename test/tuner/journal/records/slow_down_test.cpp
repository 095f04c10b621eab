// Tests of comparisons on a machine that is temporarily slow.
#include "tuner/journal/records/slow_down.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

constexpr GemmShape kSlowedShape = {64, 64, 64};

// Returns an outcome of a trial on a machine that was `slow` times slower than usual.
Outcome outcome(double ns, double slow, double known_ns,
                const std::string& reference = "gemm tile_m=4") {
  ShapeSamples samples;
  samples.shape = kSlowedShape;
  samples.ns = {ns * slow, ns * slow, ns * slow};
  samples.reference_ns = {1000.0 * slow, 1000.0 * slow, 1000.0 * slow};
  samples.reference_known_ns = known_ns;
  Outcome outcome;
  outcome.result = OutcomeClass::kOk;
  outcome.reference = parse_kernel(reference);
  outcome.shapes = {samples};
  return outcome;
}

TEST_CASE("the slow-down of a moment is that of the median kernel") {
  CHECK(slow_downs({}).empty());
  CHECK(slow_downs({{5.0}}) == std::vector<double>{1.0});
  // The machine is twice as slow at the third moment; at the second one, one kernel has an outlier.
  std::vector<std::vector<double>> moments(10, {100.0, 10.0, 1000.0});
  moments[1][1] = 50.0;
  for (double& ns : moments[2]) ns *= 2.0;
  const std::vector<double> slow = slow_downs(moments);
  CHECK(slow[0] == Approx(1.0));
  CHECK(slow[1] == Approx(1.0));
  CHECK(slow[2] == Approx(2.0));
  // Moments without disturbance are recognized even if the machine is disturbed most of the time.
  for (std::size_t i = 2; i < moments.size(); ++i) moments[i] = {150.0, 15.0, 1500.0};
  CHECK(slow_downs(moments)[9] == Approx(1.5));
}

TEST_CASE("a candidate that was tried during a slow period is compared as if in a normal one") {
  std::vector<Outcome> outcomes;
  // The reference is known only from the slow period; then the machine recovers.
  for (int i = 0; i < 20; ++i) outcomes.push_back(outcome(900.0, 1.5, 1500.0));
  for (int i = 0; i < 40; ++i) outcomes.push_back(outcome(950.0, 1.0, 1000.0));
  CHECK(median_ns(outcomes.front().shapes[0]) > median_ns(outcomes.back().shapes[0]));
  const std::vector<Outcome> now = with_reference_correction(outcomes);
  REQUIRE(now.size() == outcomes.size());
  CHECK(median_ns(now.front().shapes[0]) == Approx(900.0));
  CHECK(median_ns(now.back().shapes[0]) == Approx(950.0));
}

TEST_CASE("a reference with few samples, or another one, keeps its known time") {
  std::vector<Outcome> outcomes(4, outcome(900.0, 1.0, 1500.0));
  outcomes.push_back(outcome(900.0, 1.0, 1200.0, "gemm tile_m=2"));
  Outcome alone = outcome(900.0, 1.0, 0.0, "");
  alone.shapes[0].reference_ns.clear();
  outcomes.push_back(alone);
  const std::vector<Outcome> now = with_reference_correction(outcomes);
  CHECK(median_ns(now[0].shapes[0]) == Approx(900.0 * 1500.0 / 1000.0));
  CHECK(median_ns(now[4].shapes[0]) == Approx(900.0 * 1200.0 / 1000.0));
  CHECK(median_ns(now[5].shapes[0]) == 900.0);
  outcomes.push_back(outcomes[0]);  // the fifth
  CHECK(median_ns(with_reference_correction(outcomes)[0].shapes[0]) == Approx(900.0));
}

// A former error: a kernel ran at 452 to 461 GFLOPS while its reference was disturbed. The
// correction made this 878 to 948 GFLOPS, on a device with a peak of 516.
TEST_CASE("a disturbed reference does not make a candidate faster than its fastest raw sample") {
  const double flop = 2.0 * 768 * 768 * 768;
  ShapeSamples samples;
  samples.shape = {768, 768, 768};
  samples.ns = {flop / 452.0, flop / 461.0, flop / 461.0};
  samples.reference_ns = {4.04e6, 3.81e6, 4.11e6};
  samples.reference_known_ns = 2e6;
  for (const double ns : corrected_ns(samples)) CHECK(flop / ns <= 461.0);
  CHECK(flop / median_ns(samples) == Approx(461.0));
  CHECK(flop / min_ns(samples) == Approx(461.0));
  // A slow sample among fast ones is still corrected.
  samples.ns = {100.0, 200.0, 100.0};
  samples.reference_ns = {2000.0, 2000.0, 2000.0};
  samples.reference_known_ns = 1000.0;
  CHECK(corrected_ns(samples) == std::vector<double>{100.0, 100.0, 100.0});
  // A reference that ran faster than usual makes the candidate slower.
  samples.reference_ns = {500.0, 500.0, 500.0};
  CHECK(corrected_ns(samples) == std::vector<double>{200.0, 400.0, 200.0});
}

}  // namespace
}  // namespace tilewright
