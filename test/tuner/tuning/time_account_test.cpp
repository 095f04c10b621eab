// What a tuning's time went into, and how much would suffice.
#include "tuner/tuning/time_account.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("what took most of the time comes first, what took none is left out") {
  CHECK(time_account({{"finals", 2.2}, {"candidates", 20.4}, {"networks", 0.3}}) ==
        "candidates 20 s, finals 2 s");
  CHECK(time_account({}).empty());
}

TEST_CASE("what would suffice has time for some candidates of each search, and is always more") {
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

}  // namespace
}  // namespace tilewright
