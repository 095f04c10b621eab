// Tests of the division of a budget, without a clock.
#include "tuner/tuning/time_division.hpp"

#include <vector>

#include "catch.hpp"

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

}  // namespace
}  // namespace tilewright
