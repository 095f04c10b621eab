#include "tuner/search/published_space.hpp"

#include <algorithm>

#include "catch.hpp"
#include "tuner/records/tuning_json.hpp"
#include "tuner/search/search.hpp"

namespace tilewright {
namespace {

const std::string kT4 =
    R"({"schema_version": "1.0.0", "metadata": {"timeunit": "miliseconds"}, "results": [
  {"configuration": {"tile": 2, "local": "no", "fixed": 1}, "objectives": ["time"],
   "times": {"compilation": 500, "runtimes": [10, 20], "framework": 0, "validation": 70},
   "invalidity": "correct", "correctness": 1, "measurements": [{"name": "time", "value": 15.0, "unit": ""}]},
  {"configuration": {"tile": 16, "local": "no", "fixed": 1}, "objectives": ["time"],
   "times": {"compilation": 1000}, "invalidity": "compile", "correctness": 0,
   "measurements": [{"name": "time", "value": "CompilationFailedConfig", "unit": ""}]},
  {"configuration": {"tile": 4, "local": "yes", "fixed": 1}, "objectives": ["time"],
   "times": {"compilation": 1}, "invalidity": "correct", "correctness": 1,
   "measurements": [{"name": "time", "value": 7, "unit": ""}]},
  {"configuration": {"tile": 4, "local": "no", "fixed": 1}, "objectives": ["time"],
   "times": {"compilation": 1}, "invalidity": "correct", "correctness": 1,
   "measurements": [{"name": "time", "value": 9, "unit": ""}]}]})";

// The keys stand in another order than the results.
const std::string kCache = R"({"device_name": "d", "kernel_name": "k", "problem_size": 1,
  "tune_params_keys": ["tile", "local"], "tune_params": {"tile": [2, 16], "local": ["no"]}, "cache": {
  "2,no": {"tile": 2, "local": "no", "time": 15.0, "times": [10, 20], "compile_time": 500,
           "verification_time": 70, "benchmark_time": 30, "strategy_time": 0, "framework_time": 0},
  "16,no": {"tile": 16, "local": "no", "time": "InvalidConfig", "compile_time": 1000}}})";

TEST_CASE("results in T4 are a space with times and costs") {
  REQUIRE(looks_published(kT4));
  const PublishedSpace space = read_published_space(kT4);
  REQUIRE(space.parameters().size() == 2);  // what never changes is no parameter
  CHECK(space.parameters()[1].name == "tile");
  CHECK(space.parameters()[1].values == std::vector<std::string>{"2", "4", "16"});
  CHECK(space.parameters()[1].scale);
  CHECK_FALSE(space.parameters()[0].scale);
  REQUIRE(space.outcomes().size() == 4);
  CHECK(space.outcomes()[0].time == 15.0);
  CHECK(space.outcomes()[0].took_s == Catch::Detail::Approx(0.6));
  CHECK_FALSE(space.outcomes()[1].time);
  CHECK(space.number_of({1, 1}) == 2);
}

TEST_CASE("neighbours are one step away on a scale, and were tried") {
  const PublishedSpace space = read_published_space(kT4);
  const std::vector<PublishedPoint> around = {{0, 0}, {0, 2}, {1, 1}};
  auto found = space.neighbours({0, 1});
  std::sort(found.begin(), found.end());
  CHECK(found == around);
  CHECK(space.neighbours({0, 0}) == std::vector<PublishedPoint>{{0, 1}});
}

TEST_CASE("a cache file of Kernel Tuner's is a space, numbered by its keys") {
  REQUIRE(looks_published(kCache));
  const PublishedSpace space = read_published_space(kCache);
  REQUIRE(space.outcomes().size() == 2);
  CHECK_FALSE(space.outcomes()[0].time);  // "16,no" comes before "2,no"
  CHECK(space.outcomes()[1].time == 15.0);
  CHECK(space.outcomes()[1].took_s == Catch::Detail::Approx(0.6));
}

TEST_CASE("what is no published space is refused, and a journal does not look like one") {
  CHECK_FALSE(looks_published(R"({"format":2,"header":{}})"));
  for (const char* text :
       {R"({"results": []})", R"({"results": [{}]})", R"({"results": 7)",
        R"({"cache": {"1": {}}, "tune_params_keys": ["a"]})",
        R"({"metadata": {"timeunit": "weeks"}, "results": []})",
        R"({"results": [{"configuration": {"a": [1]}, "times": {}, "invalidity": "compile"}]})"}) {
    INFO(text);
    CHECK_THROWS_AS(read_published_space(text), JsonError);
  }
}

TEST_CASE("what is wrong with a result names its number") {
  const std::string good = R"({"configuration": {"a": 1}, "times": {}, "invalidity": "compile"})";
  for (const char* bad :
       {"{}", R"({"configuration": {"a": [1]}, "times": {}, "invalidity": "compile"})"}) {
    INFO(bad);
    std::string said;
    try {
      read_published_space("{\"results\": [" + good + ", " + bad + "]}");
    } catch (const JsonError& error) {
      said = error.what();
    }
    CHECK(said.find("result 1: ") == 0);
  }
}

TEST_CASE("each strategy tries all points of a published space once") {
  const PublishedSpace space = read_published_space(kT4);
  for (const StrategyKind kind : kStrategyKinds) {
    INFO(to_text(kind));
    StrategySetup<PublishedPoint> setup;
    setup.kind = kind;
    const auto search = make_strategy(space, setup);
    std::set<PublishedPoint> seen;
    while (const auto point = search->next()) {
      REQUIRE(seen.insert(*point).second);
      search->report(*point, space.outcomes()[space.number_of(*point)].time);
    }
    CHECK(seen.size() == 4);
  }
}

}  // namespace
}  // namespace tilewright
