// Tests of the decisions of the multiply-add benchmark, with artificial clocks.
#include "tuner/measure/rates/micro_benchmark.hpp"

#include <algorithm>
#include <random>

#include "catch.hpp"
#include "tuner/journal/records/forms.hpp"

namespace tilewright {
namespace {

using enum MultiplyAdd;

FormTimes times(MultiplyAdd form, std::vector<double> ns_per_flop) {
  return {form, std::move(ns_per_flop)};
}

// A device on which a loop iteration of a form takes `ns_per_iteration`, and a launch one
// microsecond.
struct MadeUpDevice {
  std::map<MultiplyAdd, double> ns_per_iteration;
  double longest_ns = 0.0;  // over all launches

  std::optional<double> run(MultiplyAdd form, int iterations) {
    const auto found = ns_per_iteration.find(form);
    if (found == ns_per_iteration.end()) return std::nullopt;
    const double ns = 1000.0 + iterations * found->second;
    longest_ns = std::max(longest_ns, ns);
    return ns;
  }
  std::vector<FormTimes> time(double flops_per_iteration) {
    return time_forms([&](MultiplyAdd s, int iterations) { return run(s, iterations); },
                      flops_per_iteration);
  }
};

TEST_CASE("rates are computed from medians and contain width and form") {
  const std::vector<MultiplyAddRate> rates =
      median_rates(8, {times(kExpression, {0.5, 0.5, 0.5}), times(kFma, {0.125, 0.125, 0.125})});
  CHECK(rates == std::vector<MultiplyAddRate>{{8, "expression", 2.0}, {8, "fma", 8.0}});
  CHECK(median_rates(8, {}).empty());
}

TEST_CASE(
    "forms are compared within rounds, so a slow-down of the machine does not change their order") {
  // The machine is twice as slow from the third round on, starting between two forms of that round.
  const std::vector<double> fma = {1.0, 1.0, 1.0, 2.0, 2.0};
  const std::vector<double> mad = {1.4, 1.4, 2.8, 2.8, 2.8};
  const auto apart = median_rates(4, {times(kMad, mad), times(kFma, fma)});
  CHECK(apart[1].gflops == Approx(1.4 * apart[0].gflops));
  // The median of one form is from before the slow-down, that of the other from after it.
  const std::vector<double> even = {1.0, 1.0, 2.0, 2.0, 2.0};
  const auto alike = median_rates(4, {times(kMad, even), times(kFma, fma)});
  CHECK(alike[1].gflops == Approx(alike[0].gflops));
}

TEST_CASE("a form that was not slowed down is not considered faster than it ever ran") {
  const std::vector<double> slowed = {1.0, 1.0, 2.0, 2.0, 2.0};
  const std::vector<double> steady = {1.0, 1.0, 1.0, 1.0, 1.0};
  const auto rates =
      median_rates(4, {times(kExpression, slowed), times(kMad, slowed), times(kFma, steady)});
  CHECK(rates[2].gflops == Approx(1.0));
}

TEST_CASE("a dropped form keeps its rate and does not affect others") {
  const std::vector<double> mad = {1.0, 2.0, 1.0};
  const auto rates = median_rates(4, {times(kExpression, {10.0}), times(kMad, mad)});
  CHECK(rates[0].gflops == Approx(0.1));
  CHECK(rates[1].gflops == Approx(1.0));
}

TEST_CASE("forms of similar speed are all measured in long runs") {
  MadeUpDevice device{{{kExpression, 4.0}, {kMad, 2.0}, {kFma, 2.0}}};
  const std::vector<FormTimes> result = device.time(8.0);
  REQUIRE(result.size() == 3);
  for (const FormTimes& one : result) CHECK(one.ns_per_flop.size() == 15);
  CHECK(result[0].form == kExpression);
  // The microsecond of a launch is hardly noticeable.
  CHECK(result[0].ns_per_flop.front() == Approx(0.5).epsilon(0.01));
  CHECK(result[2].ns_per_flop.front() == Approx(0.25).epsilon(0.01));
  const std::vector<MultiplyAddRate> rates = median_rates(4, result);
  CHECK(rates[1].gflops == Approx(4.0).epsilon(0.01));
}

TEST_CASE("an emulated fma is dropped before its launches become long") {
  for (const double factor : {10.0, 300.0, 10000.0}) {
    INFO(factor);
    MadeUpDevice device{{{kExpression, 50.0}, {kMad, 50.0}, {kFma, 50.0 * factor}}};
    const std::vector<FormTimes> result = device.time(8.0);
    REQUIRE(result.size() == 3);
    CHECK(result[0].ns_per_flop.size() == 15);
    CHECK(result[2].ns_per_flop.size() == 1);
    CHECK(result[2].ns_per_flop.front() > result[0].ns_per_flop.front());
    CHECK(device.longest_ns < 15e6);
  }
}

TEST_CASE("no form is dropped because the machine was busy for a while") {
  MadeUpDevice device{{{kExpression, 50.0}, {kMad, 50.0}, {kFma, 50.0}}};
  int busy = 3;  // runs that take ten times as long, among those that are not short
  const TimeForm time = [&](MultiplyAdd form, int iterations) -> std::optional<double> {
    const std::optional<double> ns = device.run(form, iterations);
    return form == kMad && iterations >= 1024 && busy-- > 0 ? std::optional(10.0 * *ns) : ns;
  };
  const std::vector<FormTimes> result = time_forms(time, 8.0);
  REQUIRE(result.size() == 3);
  CHECK(busy < 0);
  for (const FormTimes& one : result) CHECK(one.ns_per_flop.size() == 15);
}

TEST_CASE("no form is dropped because the machine was busy during the first, short runs") {
  MadeUpDevice device{{{kExpression, 50.0}, {kMad, 50.0}, {kFma, 50.0}}};
  int busy = 12;  // runs that take at least a millisecond
  const TimeForm time = [&](MultiplyAdd form, int iterations) -> std::optional<double> {
    const std::optional<double> ns = device.run(form, iterations);
    return form == kMad && busy-- > 0 ? std::optional(std::max(1e6, *ns)) : ns;
  };
  const std::vector<FormTimes> result = time_forms(time, 8.0);
  REQUIRE(result.size() == 3);
  CHECK(busy < 0);
  for (const FormTimes& one : result) CHECK(one.ns_per_flop.size() == 15);
}

TEST_CASE("equal forms stay equal on a machine that is sometimes twice as slow") {
  std::mt19937 random(5);
  int equal = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    bool halved = false;
    const TimeForm time = [&](MultiplyAdd, int iterations) -> std::optional<double> {
      if (random() % 8 == 0) halved = !halved;
      const double jitter = static_cast<double>(random() % 1000) * 2e-5;
      return (1000.0 + iterations * 2.0) * (halved ? 2.0 : 1.0) * (1.0 + jitter);
    };
    DeviceRates rates;
    rates.multiply_adds = median_rates(8, time_forms(time, 8.0));
    if (best_forms(rates).at(8) == kExpression) ++equal;
  }
  CHECK(equal >= kTrials * 97 / 100);
}

TEST_CASE("rounds end in time even if times never become steady") {
  std::mt19937 random(6);
  double spent_ns = 0.0;
  const TimeForm time = [&](MultiplyAdd, int iterations) -> std::optional<double> {
    const double ns = iterations * 2.0 * (1.0 + static_cast<double>(random() % 1000) * 1e-3);
    spent_ns += ns;
    return ns;
  };
  const std::vector<FormTimes> result = time_forms(time, 8.0);
  REQUIRE(result.size() == 3);
  CHECK(result[0].ns_per_flop.size() > 15);
  CHECK(result[0].ns_per_flop.size() < 151);
  CHECK(spent_ns < 2.5e8);
}

TEST_CASE("a form that does not build or run has no times") {
  MadeUpDevice device{{{kMad, 2.0}}};
  const std::vector<FormTimes> result = device.time(8.0);
  REQUIRE(result.size() == 1);
  CHECK(result[0].form == kMad);
  CHECK(MadeUpDevice{}.time(8.0).empty());
}

TEST_CASE("a form that fails late has no times and does not affect others") {
  int fma_runs = 0;
  const TimeForm time = [&](MultiplyAdd form, int iterations) -> std::optional<double> {
    if (form == kFma && ++fma_runs > 30) return std::nullopt;
    return 1000.0 + iterations * 2.0;
  };
  const std::vector<FormTimes> result = time_forms(time, 8.0);
  REQUIRE(fma_runs > 30);
  REQUIRE(result.size() == 2);
  CHECK(result[0].ns_per_flop.size() == 15);
  CHECK(result[1].form == kMad);
}

TEST_CASE("of two measurements the faster one is used, with the forms that ran in both") {
  // Another program used a core during the first measurement, which hid the differences.
  const std::vector<MultiplyAddRate> slow = {
      {16, "expression", 253.0}, {16, "mad", 249.0}, {16, "fma", 252.0}};
  const std::vector<MultiplyAddRate> fast = {
      {16, "expression", 504.0}, {16, "mad", 352.0}, {16, "fma", 505.0}};
  CHECK(faster_rates(slow, fast) == fast);
  CHECK(faster_rates(fast, slow) == fast);
  const std::vector<MultiplyAddRate> without = {{16, "expression", 253.0}, {16, "mad", 249.0}};
  CHECK(faster_rates(without, fast) == std::vector<MultiplyAddRate>{fast[0], fast[1]});
  CHECK(faster_rates(fast, without) == std::vector<MultiplyAddRate>{fast[0], fast[1]});
  CHECK(faster_rates({}, fast).empty());
}

TEST_CASE("a device that seems infinitely fast does not block the benchmark") {
  MadeUpDevice device{{{kExpression, 0.0}, {kMad, 0.0}, {kFma, 0.0}}};
  CHECK(device.time(8.0).size() == 3);
}

}  // namespace
}  // namespace tilewright
