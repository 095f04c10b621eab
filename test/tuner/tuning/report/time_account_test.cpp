// Tests of how the time of a tuning is reported and which budget is recommended.
#include "tuner/tuning/report/time_account.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TimeNeed two_searches(double search_share) {
  TimeNeed need;
  need.fixed_s = 10.0;
  need.candidate_s = 1.0;
  need.searches = 2;
  need.search_share = search_share;
  need.budget_s = 40.0;
  return need;
}

TEST_CASE("the largest part of the time comes first, and negligible parts are left out") {
  CHECK(time_account({{"finals", 2.2}, {"candidates", 20.4}, {"networks", 0.3}}) ==
        "candidates 20 s, finals 2 s");
  CHECK(time_account({}).empty());
}

TEST_CASE("a tuning whose budget was too short reports how it was spent, and a sufficient one") {
  TimeNeed need = two_searches(0.75);
  const std::map<std::string, double> spent = {{"micro-benchmarks", 8.0}, {"candidates", 3.0}};
  CHECK_THAT(shortage_text("the finals", spent, need, "the same command"),
             ContainsSubstring("--budget 90s"));
  // Without candidates, the smallest useful budget is named, too.
  need.lacks_candidates = true;
  CHECK_THAT(shortage_text("finishing a candidate", {}, need, "the same command without --fresh"),
             ContainsSubstring("--budget 60s for a first profile"));
}

TEST_CASE("a tuning says at the start what it needs if its budget is too short") {
  TimeNeed need = two_searches(0.75);
  need.ops = 3;
  CHECK(too_short_text(need, 24).empty());
  need.budget_s = 3.0;
  const std::string text = too_short_text(need, 24);
  INFO(text);
  CHECK(text.find("--budget 3s") == 0);
  CHECK(text.find("3 ops on 24 shapes") != std::string::npos);
  CHECK(text.find("--budget 40s") != std::string::npos);
  CHECK(text.find("--budget 90s") != std::string::npos);
}

TEST_CASE("a larger budget is recommended if a search tried few candidates for its spaces") {
  TimeNeed need;
  need.candidate_s = 0.7;
  need.searches = 4;
  need.budget_s = 600.0;
  CHECK(few_candidates_text(120, need).empty());
  CHECK_THAT(few_candidates_text(119, need), ContainsSubstring("--budget 900s"));
  need.searches = 1;
  CHECK_THAT(few_candidates_text(11, need), ContainsSubstring("11 candidates"));
}

}  // namespace
}  // namespace tilewright
