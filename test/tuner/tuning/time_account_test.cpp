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

TEST_CASE("a search's account has candidates a minute and shares of its time") {
  SearchTime time;
  CHECK(search_account(time).empty());
  time.candidates = 30;
  CHECK(search_account(time).empty());
  time.spend(SearchActivity::kMeasuring, 30.0);
  SearchTime other;
  other.candidates = 15;
  other.spend(SearchActivity::kCompiling, 27.0);
  other.spend(SearchActivity::kWaiting, 3.0);
  time += other;
  CHECK(search_account(time) ==
        "the search tried 45 candidates in 60 s, 45 a minute: measuring 50 %, compiling 45 %, "
        "waiting 5 %");
}

TEST_CASE("compiling costs the time in which nothing is measured") {
  const WorkerActivity starts{WorkerActivityKind::kStart, "", 0.0};
  const WorkerActivity builds{WorkerActivityKind::kBuild, "gemm", 0.0};
  const WorkerActivity launches{WorkerActivityKind::kLaunch, "gemm", 0.0};
  CHECK(activity_of(&launches, false) == SearchActivity::kMeasuring);
  CHECK(activity_of(&launches, true) == SearchActivity::kMeasuring);
  CHECK(activity_of(&builds, false) == SearchActivity::kCompiling);
  CHECK(activity_of(&starts, true) == SearchActivity::kCompiling);
  CHECK(activity_of(&starts, false) == SearchActivity::kWaiting);
  CHECK(activity_of(nullptr, true) == SearchActivity::kCompiling);
  CHECK(activity_of(nullptr, false) == SearchActivity::kWaiting);
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

TEST_CASE("a tuning whose budget was too short says where it went, and what would suffice") {
  TimeNeed need;
  need.fixed_s = 10.0;
  need.candidate_s = 1.0;
  need.searches = 2;
  need.search_share = 0.75;
  need.budget_s = 40.0;
  const std::map<std::string, double> spent = {{"micro-benchmarks", 8.0}, {"candidates", 3.0}};
  CHECK(shortage_text("the finals", spent, need) ==
        "the budget left no time for the finals (it went to: micro-benchmarks 8 s, candidates 3 "
        "s); the same command goes on with a longer one: --budget 90s would suffice");
  CHECK(spent_on(spent, "candidates") == 3.0);
  CHECK(spent_on(spent, "finals") == 0.0);
}

TEST_CASE("before a search its budget is told in candidates") {
  TimeNeed need;
  need.candidate_s = 0.7;
  need.searches = 4;
  need.budget_s = 600.0;
  CHECK(outlook_text(281.0, need) == "the search has time for about 400 candidates at 0.7 s each");
  CHECK(outlook_text(87.0, need) == "the search has time for about 120 candidates at 0.7 s each");
  need.searches = 1;
  CHECK(outlook_text(8.0, need) ==
        "the search has time for about 11 candidates at 0.7 s each, few for 1 space: --budget "
        "900s finds more");
  CHECK(outlook_text(0.1, need).find("about 1 candidates") != std::string::npos);
  CHECK(outlook_text(0.0, need).empty());
  need.candidate_s = 0.0;
  CHECK(outlook_text(300.0, need).empty());
}

TEST_CASE("what a candidate takes follows from the quickest built-in kernel") {
  CHECK(expected_candidate_s({}, 3, 0, 1e-3) == 0.0);
  CHECK(expected_candidate_s({}, 3, 16, 1e-3) == 0.0);
  Outcome slow;
  slow.phase = kBuiltIn;
  slow.took_s = 12.0;
  slow.shapes.resize(24);
  Outcome quick = slow;
  quick.took_s = 4.0;
  Outcome none = quick;  // on which nothing was measured
  none.took_s = 0.5;
  none.shapes.clear();
  Outcome other = quick;
  other.phase = "NN";
  other.took_s = 0.1;
  // Candidates take longer to compile, four times in all.
  CHECK(expected_candidate_s({slow, quick, none, other}, 6, 0, 1e-3) == Approx(4.0 * 1.0));
  CHECK(expected_candidate_s({quick}, 30, 0, 1e-3) == Approx(4.0 * 4.0));
  // One compiler and the one that measures are no faster than the latter alone; many are.
  CHECK(expected_candidate_s({quick}, 6, 1, 1e-3) == Approx(4.0));
  CHECK(expected_candidate_s({quick}, 6, 2, 1e-3) == Approx(4.0 / 1.34));
  CHECK(expected_candidate_s({quick}, 6, 15, 1e-3) == Approx(4.0 / 10.05));
  // However many compile, one device takes the samples.
  CHECK(expected_candidate_s({quick}, 6, 1000, 3e-3) == Approx(2 * 3e-3 * 6));
}

}  // namespace
}  // namespace tilewright
