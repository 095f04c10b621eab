// Tests of the division of a budget, without a clock.
#include "tuner/tuning/time_division.hpp"

#include <vector>

#include "catch.hpp"
#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

TEST_CASE("micro-benchmarks get a fifth of the budget, over all sessions") {
  CHECK(left_for_rates_s(40.0, 0.0) == 8.0);
  CHECK(left_for_rates_s(12.0, 0.0) == Approx(2.4));
  CHECK(left_for_rates_s(30.0, 2.4) == Approx(3.6));  // continued
  CHECK(left_for_rates_s(30.0, 7.0) == 0.0);          // a running one took longer
  CHECK(left_for_rates_s(0.0, 0.0) == 0.0);
}

// Returns a period that starts now.
SearchPeriod period_at(double now_s, double budget_s, double share, double decided_in_s) {
  return {budget_s, now_s, share, decided_in_s, now_s};
}

TEST_CASE("searches get their share of the remaining time, and leave time for the next decision") {
  CHECK(searches_end_s(period_at(20.0, 100.0, 0.75, 0.0)) == 80.0);
  CHECK(searches_end_s(period_at(80.0, 100.0, 0.75, 2.0)) == 95.0);
  CHECK(searches_end_s(period_at(80.0, 100.0, 0.75, 12.0)) == 88.0);
  CHECK(searches_end_s(period_at(101.0, 100.0, 0.75, 12.0)) < 101.0);
}

TEST_CASE("a period that was interrupted has no more time for searches than without interruption") {
  const SearchPeriod in_search{100.0, 50.0, 0.75, 0.0, 20.0};
  CHECK(searches_end_s(in_search) == 80.0);
  const SearchPeriod in_finals{100.0, 90.0, 0.75, 0.0, 20.0};
  CHECK(searches_end_s(in_finals) < 90.0);
  CHECK(!is_worth_searching(in_finals, 0.1));
}

TEST_CASE(
    "remaining time is used if it is enough for a candidate and a decision as long as the last") {
  // 8 of 40 s remain, after finals of 2 s.
  CHECK(is_worth_searching(period_at(32.0, 40.0, 0.77, 2.0), 1.0));
  CHECK(is_worth_searching(period_at(32.0, 40.0, 0.77, 2.0), 6.0));
  CHECK(!is_worth_searching(period_at(32.0, 40.0, 0.77, 2.0), 6.5));
  CHECK(!is_worth_searching(period_at(37.5, 40.0, 0.77, 2.0), 1.0));
  CHECK(!is_worth_searching(period_at(40.5, 40.0, 0.77, 0.0), 0.1));
}

// Returns when the last space ends, if each space has the given weight, uses the given part of its
// share, and overruns it by `overrun_s`.
double end_of_spaces(double end_s, const std::vector<double>& weights,
                     const std::vector<double>& uses, double overrun_s) {
  double now_s = 10.0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double weight_from_here = 0.0;
    for (std::size_t j = i; j < weights.size(); ++j) weight_from_here += weights[j];
    const double share_s = share_of_space_s({end_s - now_s, 0.0, weights[i], weight_from_here});
    now_s += uses[i] * share_s + overrun_s;
  }
  return now_s;
}

TEST_CASE("the searches of all spaces end at the planned time, whatever each of them used") {
  CHECK(end_of_spaces(50.0, {1, 1, 2}, {1, 1, 1}, 0.0) == Approx(50.0));
  CHECK(end_of_spaces(50.0, {1, 1, 2}, {0.1, 1, 1}, 0.0) == Approx(50.0));
  CHECK(end_of_spaces(50.0, {3, 1, 1}, {0, 0, 1}, 0.0) == Approx(50.0));
  // The overrun of a search is subtracted from the later ones, so only that of the last one
  // remains.
  CHECK(end_of_spaces(50.0, {1, 1, 2}, {1, 1, 1}, 3.0) == Approx(53.0));
}

TEST_CASE("a space that was searched before has used a part of its share") {
  // 10 s were spent on it, and 30 s are left for it and another one with equal weight.
  CHECK(share_of_space_s({30.0, 10.0, 1.0, 2.0}) == 20.0);
}

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
  CHECK(finals_end_s(options, 1000.0, 570.0) == Approx(800.0));
}

TEST_CASE("a validation and networks divide what finals have left") {
  TuneOptions options;
  options.budget_s = 1000.0;
  options.designed = 24;
  options.softmax = true;
  // The finals ended when they had to, early, and late.
  const double finals_end = finals_end_s(options, 1000.0, 100.0);
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
  CHECK(finals_end_s(options, 1000.0, 770.0) == Approx(1000.0));
  CHECK(finals_end_s(options, 1000.0, 990.0) == Approx(1000.0));
  options.softmax = true;
  const double usual = finals_end_s(options, 1000.0, 300.0);
  CHECK(usual > 800.0);
  CHECK(usual < 900.0);
  CHECK(finals_end_s(options, 1000.0, 660.0) == Approx(usual));
  CHECK(finals_end_s(options, 1000.0, 900.0) > 950.0);
  CHECK(finals_end_s(options, 1000.0, 900.0) < 970.0);
}

TEST_CASE("until each op has a candidate, all that is left is for candidates") {
  // The second session of a tuning whose first one spent 80 s, and found nothing: its searches
  // would have ended at 51 s.
  SearchPeriod period{90.0, 80.0, 0.43, 0.0, 20.0};
  CHECK(searches_end_s(period) < 80.0);
  period.lacks_candidates = true;
  CHECK(searches_end_s(period) == 90.0);
  // Micro-benchmarks and built-in kernels cannot use up a budget before.
  for (const double budget_s : {3.0, 20.0, 80.0, 7200.0}) {
    CHECK(left_for_rates_s(budget_s, 0.0) < built_in_end_s(budget_s));
    CHECK(built_in_end_s(budget_s) <= 0.5 * budget_s);
  }
}

TEST_CASE("a first profile needs a candidate of each op, and time for the other stages") {
  TimeNeed need;
  need.fixed_s = 6.0;
  need.candidate_s = 2.0;
  need.ops = 3;
  need.budget_s = 90.0;
  CHECK(first_profile_s(need) == 40.0);  // (6 + 3 * 3 * 2) / 0.6
  need.ops = 1;
  CHECK(first_profile_s(need) == 20.0);
  // After a session that was too short, a longer budget is proposed in any case.
  need.lacks_candidates = true;
  CHECK(first_profile_s(need) == 140.0);
  need.candidate_s = 100.0;
  CHECK(first_profile_s(need) == 510.0);
}

TEST_CASE("a sufficient budget has time for some candidates of each search, and is always larger") {
  TimeNeed need;
  need.fixed_s = 10.0;
  need.candidate_s = 1.0;
  need.searches = 2;
  need.search_share = 0.6;
  need.budget_s = 40.0;
  CHECK(sufficient_s(need) == 110.0);  // 10 + 2 * 30 / 0.6
  need.candidate_s = 0.01;
  CHECK(sufficient_s(need) == 60.0);  // half as much again
  need.candidate_s = 2.0;
  CHECK(sufficient_s(need) == 210.0);
}

TEST_CASE("time is kept for the smallest number of products that counts, within limits") {
  TuneOptions options;
  options.budget_s = 100.0;
  CHECK(held_out_s(options, 0.5) == 0.0);
  options.designed = 24;
  CHECK(held_out_s(options, 0.0) == Approx(5.0));
  CHECK(held_out_s(options, 0.5) == Approx(0.5 * kMinHeldOut));
  CHECK(held_out_s(options, 5.0) == Approx(10.0));
  CHECK(held_out_s(options, 0.05) == Approx(5.0));
  options.shards = 2;
  CHECK(held_out_s(options, 0.5) == 0.0);
}

}  // namespace
}  // namespace tilewright
