// Decisions of the micro-benchmark on made-up clocks.
#include "tuner/micro_benchmark.hpp"

#include <algorithm>

#include "catch.hpp"

namespace tilewright {
namespace {

using enum MultiplyAdd;

SpellingTimes times(MultiplyAdd spelling, std::vector<double> ns_per_flop) {
  return {spelling, std::move(ns_per_flop)};
}

// A device on which a turn of the loop takes a spelling so many ns, and a launch a microsecond.
struct MadeUpDevice {
  std::map<MultiplyAdd, double> ns_per_turn;
  double longest_ns = 0.0;  // of all launches

  std::optional<double> run(MultiplyAdd spelling, int turns) {
    const auto found = ns_per_turn.find(spelling);
    if (found == ns_per_turn.end()) return std::nullopt;
    const double ns = 1000.0 + turns * found->second;
    longest_ns = std::max(longest_ns, ns);
    return ns;
  }
  std::vector<SpellingTimes> time(double flops_per_turn) {
    return time_spellings([&](MultiplyAdd s, int turns) { return run(s, turns); }, flops_per_turn);
  }
};

TEST_CASE("the fastest spelling is chosen, and of equal ones the simplest") {
  const std::vector<double> fast = {1.00, 1.01, 0.99, 1.00, 1.01};
  const std::vector<double> as_fast = {1.005, 1.00, 1.01, 1.00, 0.995};
  const std::vector<double> slow = {2.0, 2.02, 1.98, 2.0, 2.01};
  CHECK(best_spelling({times(kExpression, as_fast), times(kMad, fast), times(kFma, fast)}) ==
        kExpression);
  CHECK(best_spelling({times(kExpression, slow), times(kMad, as_fast), times(kFma, fast)}) == kMad);
  CHECK(best_spelling({times(kExpression, slow), times(kMad, slow), times(kFma, fast)}) == kFma);
  CHECK(best_spelling({times(kFma, fast), times(kMad, as_fast)}) == kMad);
}

TEST_CASE("what did not run is not chosen, and without any figures the simplest is") {
  CHECK(best_spelling({times(kFma, {1.0, 1.1})}) == kFma);
  CHECK(best_spelling({}) == kExpression);
}

TEST_CASE("spellings are compared within rounds: a machine that changes pace changes no choice") {
  // Twice as slow from the third round on, between two spellings of the third.
  const std::vector<double> fma = {1.0, 1.0, 1.0, 2.0, 2.0};
  const std::vector<double> mad = {1.4, 1.4, 2.8, 2.8, 2.8};
  CHECK(best_spelling({times(kMad, mad), times(kFma, fma)}) == kFma);
  // The median of one is from before, that of the other from after.
  const std::vector<double> even = {1.0, 1.0, 2.0, 2.0, 2.0};
  CHECK(best_spelling({times(kMad, even), times(kFma, fma)}) == kMad);
}

TEST_CASE("one slow sample is not taken for a tie") {
  CHECK(best_spelling({times(kExpression, {3.1}), times(kMad, {1.0, 1.0, 1.0})}) == kMad);
}

TEST_CASE("spellings that are not far apart are measured alike, in long runs") {
  MadeUpDevice device{{{kExpression, 4.0}, {kMad, 2.0}, {kFma, 2.0}}};
  const std::vector<SpellingTimes> result = device.time(8.0);
  REQUIRE(result.size() == 3);
  for (const SpellingTimes& one : result) CHECK(one.ns_per_flop.size() == 15);
  CHECK(result[0].spelling == kExpression);
  // A launch's microsecond hardly shows.
  CHECK(result[0].ns_per_flop.front() == Approx(0.5).epsilon(0.01));
  CHECK(result[2].ns_per_flop.front() == Approx(0.25).epsilon(0.01));
  CHECK(best_spelling(result) == kMad);
}

TEST_CASE("an emulated fma is left behind before its launches are long") {
  for (const double factor : {10.0, 300.0, 10000.0}) {
    INFO(factor);
    MadeUpDevice device{{{kExpression, 50.0}, {kMad, 50.0}, {kFma, 50.0 * factor}}};
    const std::vector<SpellingTimes> result = device.time(8.0);
    REQUIRE(result.size() == 3);
    CHECK(result[0].ns_per_flop.size() == 15);
    CHECK(result[2].ns_per_flop.size() == 1);
    CHECK(result[2].ns_per_flop.front() > result[0].ns_per_flop.front());
    CHECK(device.longest_ns < 15e6);
    CHECK(best_spelling(result) == kExpression);
  }
}

TEST_CASE("a spelling that does not build or run has no figures") {
  MadeUpDevice device{{{kMad, 2.0}}};
  const std::vector<SpellingTimes> result = device.time(8.0);
  REQUIRE(result.size() == 1);
  CHECK(result[0].spelling == kMad);
  CHECK(MadeUpDevice{}.time(8.0).empty());
}

TEST_CASE("a device that is too fast to be true is not waited for") {
  MadeUpDevice device{{{kExpression, 0.0}, {kMad, 0.0}, {kFma, 0.0}}};
  CHECK(device.time(8.0).size() == 3);
}

TEST_CASE("points get the spelling of their vector width; dot() has none") {
  const Spellings spellings = {{1, kExpression}, {4, kMad}, {8, kFma}};
  const auto after = [&](const char* text) {
    return to_text(spelled(parse_point(text), spellings));
  };
  CHECK(after("gemm tile_n=4 vector_width=4") ==
        to_text(parse_point("gemm tile_n=4 vector_width=4 multiply_add=mad")));
  CHECK(after("gemm tile_n=8 vector_width=8 multiply_add=mad") ==
        to_text(parse_point("gemm tile_n=8 vector_width=8 multiply_add=fma")));
  CHECK(after("gemm multiply_add=fma") == to_text(parse_point("gemm")));
  CHECK(after("gemm tile_n=16 vector_width=16") ==
        to_text(parse_point("gemm tile_n=16 vector_width=16")));
  const char* dot = "gemm tile_k=4 vector_width=4 inner=dot";
  CHECK(after(dot) == to_text(parse_point(dot)));
  CHECK(after("gemv vector_width=8 tile_k=8") ==
        to_text(parse_point("gemv vector_width=8 tile_k=8 multiply_add=fma")));
  CHECK(after("pack vector_width=4") == to_text(parse_point("pack vector_width=4")));
}

TEST_CASE("a line says what was chosen") {
  const std::vector<WidthResult> results = {
      {1, {times(kExpression, {0.5})}, kExpression},
      {4, {times(kExpression, {0.5}), times(kFma, {0.125})}, kFma}};
  CHECK(summary_of(results) ==
        "multiply-adds by vector width: 1 expression, 4 fma; up to 8 GFLOPS");
  CHECK(spellings_of(results) == Spellings{{1, kExpression}, {4, kFma}});
}

}  // namespace
}  // namespace tilewright
