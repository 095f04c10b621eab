// A made-up space with one valley, in which a point takes a second.
#include "tuner/replay/published_replay.hpp"

#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "tuner/records/tuning_json.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kSide = 32;

PublishedSpace valley(bool with_later_rows = false) {
  std::vector<std::string> values;
  for (std::size_t i = 1; i <= kSide; ++i) values.push_back(std::to_string(i));
  std::vector<PublishedPoint> points;
  std::vector<PublishedOutcome> outcomes;
  for (std::size_t a = 0; a < kSide; ++a) {
    for (std::size_t b = 0; b < kSide; ++b) {
      points.push_back({a, b});
      const double time = 1.0 + std::hypot(static_cast<double>(a) - 20, static_cast<double>(b) - 7);
      outcomes.push_back({(a + b) % 7 == 0 ? std::nullopt : std::optional(time), 1.0});
    }
  }
  if (with_later_rows) {
    points.insert(points.end(), {{20, 7}, {3, 3}});
    outcomes.insert(outcomes.end(), {{0.01, 0.0}, {0.02, 0.0}});
  }
  return {{{"a", values, true}, {"b", values, true}}, points, outcomes};
}

// One parameter, whose points have these times and take so long each.
PublishedSpace line_of(const std::vector<double>& times, double took_s) {
  PublishedSpace::Parameter parameter{"a", {}, true};
  std::vector<PublishedPoint> points;
  std::vector<PublishedOutcome> outcomes;
  for (std::size_t i = 0; i < times.size(); ++i) {
    parameter.values.push_back(std::to_string(i + 1));
    points.push_back({i});
    outcomes.push_back({times[i], took_s});
  }
  return {{parameter}, points, outcomes};
}

// What is said where `make` refuses; "" where it does not.
template <class Make>
std::string refusal(const Make& make) {
  try {
    make();
  } catch (const JsonError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("random search scores 0, a run that has the optimum at once nearly 1") {
  const PublishedSpace space = valley();
  const PublishedBenchmark benchmark(space);
  CHECK(benchmark.budget_s() > 50.0);
  CHECK(benchmark.budget_s() < 1024.0);
  std::vector<Trace> random;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    random.push_back(benchmark.run(StrategyKind::kRandom, seed));
  }
  CHECK(std::abs(benchmark.score(random)) < 0.15);
  const Trace best = {space.number_of({20, 7})};
  CHECK(benchmark.score({best}) > 0.5);
  const auto [low, high] = benchmark.score_interval(random);
  CHECK(low < high);
  CHECK(high - low < 0.5);
}

TEST_CASE("strategies beat random search on a valley, and runs that find nothing lose") {
  const PublishedSpace space = valley();
  const PublishedBenchmark benchmark(space);
  for (const StrategyKind kind :
       {StrategyKind::kGreedy, StrategyKind::kIterated, StrategyKind::kGuided}) {
    INFO(to_text(kind));
    std::vector<Trace> runs;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) runs.push_back(benchmark.run(kind, seed));
    CHECK(benchmark.score(runs) > 0.4);
  }
  CHECK(benchmark.score({{}}) < 0.0);
}

TEST_CASE("other tuners' runs are read, by optimiser") {
  const PublishedSpace space = valley();
  const auto traces = read_traces(
      "{\"optimiser\": \"pso\", \"seed\": 1, \"points\": [0, 5]}\n"
      "{\"optimiser\": \"mls\", \"points\": []}\n"
      "{\"optimiser\": \"pso\", \"points\": [7]}\n",
      space);
  REQUIRE(traces.size() == 2);
  CHECK(traces[0].strategy == "pso");
  CHECK(traces[0].runs == std::vector<Trace>{{0, 5}, {7}});
  CHECK(read_traces("\n{\"optimiser\": \"mls\", \"points\": []}\n \t\r\n", space).size() == 1);
  for (const char* text : {"{}", "{\"optimiser\": \"pso\", \"points\": [1024]}",
                           "{\"optimiser\": \"pso\", \"points\": [-1]}", "x"}) {
    INFO(text);
    CHECK_THROWS_AS(read_traces(text, space), JsonError);
    const std::string after_a_blank_line = std::string("\n") + text;
    CHECK(refusal([&] { read_traces(after_a_blank_line, space); }).find("line 2: ") == 0);
  }
}

TEST_CASE("spaces on which scores would divide by nothing are refused") {
  const PublishedSpace instant = line_of({1, 2, 3, 4, 5, 6, 7, 8}, 0.0);
  CHECK(refusal([&] { PublishedBenchmark{instant}; }).find("took") != std::string::npos);
  // Whatever the order, all is found after the last point, and not nearly so before.
  const PublishedSpace few = line_of({0.1, 0.3}, 1.0);
  CHECK(refusal([&] { PublishedBenchmark{few}; }).find("too few points") != std::string::npos);
}

TEST_CASE("of points that stand there twice the first counts") {
  const PublishedSpace once = valley();
  const PublishedSpace twice = valley(true);
  REQUIRE(twice.outcomes().size() == once.outcomes().size() + 2);
  const PublishedBenchmark expected(once);
  const PublishedBenchmark benchmark(twice);
  CHECK(benchmark.working() == expected.working());
  CHECK(benchmark.budget_s() == expected.budget_s());
  const Trace best = {once.number_of({20, 7})};
  CHECK(twice.number_of({20, 7}) == best.front());
  CHECK(benchmark.score({best}) == expected.score({best}));
  // The later rows, which pretend to be faster than all others, are nothing found.
  const std::size_t later = once.outcomes().size();
  CHECK(benchmark.score({{later, later + 1}}) == benchmark.score({{}}));
}

}  // namespace
}  // namespace tilewright
