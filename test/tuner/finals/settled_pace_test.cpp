// Which of two candidates was faster, if the machine was slow while one of them was tried.
#include "tuner/finals/settled_pace.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

constexpr GemmShape kShape = {64, 64, 64};

// Tried while the machine took `pace` times its usual time.
Outcome outcome(double ns, double pace, double known_ns,
                const std::string& reference = "reference") {
  ShapeSamples samples;
  samples.shape = kShape;
  samples.ns = {ns * pace, ns * pace, ns * pace};
  samples.reference_ns = {1000.0 * pace, 1000.0 * pace, 1000.0 * pace};
  samples.reference_known_ns = known_ns;
  Outcome outcome;
  outcome.result = OutcomeClass::kOk;
  outcome.reference = reference;
  outcome.shapes = {samples};
  return outcome;
}

TEST_CASE("who was tried in a slow quarter of a minute is compared as if in a usual one") {
  std::vector<Outcome> outcomes;
  // The reference is known from the slow moment alone; then the machine recovers.
  for (int i = 0; i < 20; ++i) outcomes.push_back(outcome(900.0, 1.5, 1500.0));
  for (int i = 0; i < 40; ++i) outcomes.push_back(outcome(950.0, 1.0, 1000.0));
  CHECK(median_ns(outcomes.front().shapes[0]) > median_ns(outcomes.back().shapes[0]));
  const std::vector<Outcome> settled = with_settled_pace(outcomes);
  REQUIRE(settled.size() == outcomes.size());
  CHECK(median_ns(settled.front().shapes[0]) == Approx(900.0));
  CHECK(median_ns(settled.back().shapes[0]) == Approx(950.0));
  CHECK(settled.front().shapes[0].ns == outcomes.front().shapes[0].ns);
}

TEST_CASE("a reference that was seen a few times, and one of another name, keep what was known") {
  std::vector<Outcome> outcomes(4, outcome(900.0, 1.0, 1500.0));
  outcomes.push_back(outcome(900.0, 1.0, 1200.0, "other"));
  Outcome alone = outcome(900.0, 1.0, 0.0, "");
  alone.shapes[0].reference_ns.clear();
  outcomes.push_back(alone);
  const std::vector<Outcome> settled = with_settled_pace(outcomes);
  CHECK(settled[0].shapes[0].reference_known_ns == 1500.0);
  CHECK(settled[4].shapes[0].reference_known_ns == 1200.0);
  CHECK(settled[5].shapes[0].reference_known_ns == 0.0);
  outcomes.push_back(outcomes[0]);  // the fifth
  CHECK(with_settled_pace(outcomes)[0].shapes[0].reference_known_ns == 1000.0);
}

}  // namespace
}  // namespace tilewright
