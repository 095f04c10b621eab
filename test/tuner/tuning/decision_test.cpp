// Tests that the time that networks do not need is used for finals.
#include "tuner/tuning/decision.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE(
    "the time that networks did not need goes to further finals, except as much as they needed") {
  CHECK(further_finals_end_s(300.0, 258.0, 268.0) == 290.0);
  CHECK(further_finals_end_s(2700.0, 2322.0, 2410.0) == 2612.0);
  // 20 s are left, and networks may need 22 s again.
  CHECK(further_finals_end_s(300.0, 258.0, 280.0) == std::nullopt);
  // Less than 2 % of the time.
  CHECK(further_finals_end_s(300.0, 258.0, 276.5) == std::nullopt);
}

TEST_CASE("a search leaves time for finals, and for networks if they are requested") {
  TuneOptions options;
  const double plain = search_share(options);
  CHECK(plain > 0.7);
  CHECK(plain < 0.8);
  options.softmax = true;
  const double with_softmax = search_share(options);
  CHECK(with_softmax < plain - 0.1);
  options.softmax = false;
  options.activations = {Activation::kRelu};
  CHECK(search_share(options) == with_softmax);
}

TEST_CASE("a tuning for all shapes keeps a fifth of its time for validation") {
  TuneOptions options;
  options.budget_s = 1000.0;
  const double without = search_share(options);
  options.designed = 24;
  CHECK(search_share(options) == Approx(without - 0.2));
  CHECK(finals_end_s(options, 570.0) == Approx(800.0));
}

TEST_CASE("a validation and networks divide what finals have left") {
  TuneOptions options;
  options.budget_s = 1000.0;
  options.designed = 24;
  options.softmax = true;
  // The finals ended when they had to, early, and late.
  const double finals_end = finals_end_s(options, 100.0);
  CHECK(validation_times(options, 1000.0, finals_end).until_s == Approx(860.0));
  CHECK(validation_times(options, 1000.0, 500.0).until_s == Approx(700.0));
  CHECK(validation_times(options, 1000.0, 966.0).until_s == Approx(986.0));
}

TEST_CASE("bad choices prolong a validation, and leave networks a part of their time") {
  TuneOptions options;
  options.budget_s = 1000.0;
  options.designed = 24;
  options.softmax = true;
  const ValidationTimes times = validation_times(options, 1000.0, 660.0);
  CHECK(times.until_s == Approx(860.0));
  CHECK(times.latest_s == Approx(932.0));
}

TEST_CASE("finals get their share of the remaining time, however late they start") {
  TuneOptions options;
  options.budget_s = 1000.0;
  CHECK(finals_end_s(options, 770.0) == Approx(1000.0));
  CHECK(finals_end_s(options, 990.0) == Approx(1000.0));
  options.softmax = true;
  const double usual = finals_end_s(options, 300.0);
  CHECK(usual > 800.0);
  CHECK(usual < 900.0);
  CHECK(finals_end_s(options, 660.0) == Approx(usual));
  CHECK(finals_end_s(options, 900.0) > 950.0);
  CHECK(finals_end_s(options, 900.0) < 970.0);
}

}  // namespace
}  // namespace tilewright
