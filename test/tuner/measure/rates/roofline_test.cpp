// Tests of the roofline and of the text for rates.
#include "tuner/measure/rates/roofline.hpp"

#include "catch.hpp"
#include "tuner/measure/rates/rates_text.hpp"

namespace tilewright {
namespace {

DeviceRates made_up() {
  DeviceRates rates;
  rates.multiply_adds = {{1, "expression", 4.25}, {4, "expression", 99.0}, {4, "mad", 100.0}};
  rates.peak_gflops = 100.0;
  rates.copy_gbytes_per_s = 12.0;
  rates.launch_ns = 21500.0;
  rates.timer_step_ns = 1000.0;
  return rates;
}

TEST_CASE("a small product is bound by memory, a large one by multiply-adds") {
  const DeviceRates rates = made_up();
  // 2 n^3 flops for 12 n^2 bytes: n / 6 flops per byte, which is 2 n GFLOPS.
  CHECK(roofline_gflops(rates, {10, 10, 10}) == Approx(20.0));
  CHECK(roofline_gflops(rates, {49, 49, 49}) == Approx(98.0));
  CHECK(roofline_gflops(rates, {51, 51, 51}) == Approx(100.0));
  // A product with a vector: at most half a flop per byte.
  CHECK(roofline_gflops(rates, {1000000, 1, 1000}) == Approx(6.0).epsilon(0.01));
}

TEST_CASE("each matrix of a product with different extents counts once") {
  // 2 * 2 * 3 * 5 = 60 flops, 4 * (10 + 15 + 6) = 124 bytes.
  CHECK(roofline_gflops(made_up(), {2, 3, 5}) == Approx(60.0 / 124.0 * 12.0));
  CHECK(roofline_gflops(made_up(), {2'000'000'000, 2'000'000'000, 2'000'000'000}) == 100.0);
}

TEST_CASE("an unknown rate does not limit a product") {
  DeviceRates rates = made_up();
  rates.copy_gbytes_per_s = 0.0;
  CHECK(roofline_gflops(rates, {1, 1, 1}) == 100.0);
  CHECK(roofline_gflops({}, {64, 64, 64}) == 0.0);
}

DeviceRates of_all_types() {
  DeviceRates rates = made_up();
  rates.multiply_adds.push_back({2, "fma", 40.0, Precision::kDouble});
  rates.double_peak_gflops = 40.0;
  rates.multiply_adds.push_back({8, "fma", 300.0, Precision::kHalf});
  rates.half_peak_gflops = 300.0;
  return rates;
}

TEST_CASE(
    "a product is bound by multiply-adds in the type of its sums and by the size of its elements") {
  const DeviceRates rates = of_all_types();
  CHECK(roofline_gflops(rates, {5000, 5000, 5000}, Precision::kDouble) == 40.0);
  // Sums may be in half precision.
  CHECK(roofline_gflops(rates, {5000, 5000, 5000}, Precision::kHalf) == 300.0);
  CHECK(roofline_gflops(rates, {10, 10, 10}, Precision::kDouble) == Approx(10.0));
  CHECK(roofline_gflops(rates, {10, 10, 10}, Precision::kHalf) == Approx(40.0));
  // Double precision was not measured.
  CHECK(roofline_gflops(made_up(), {10, 10, 10}, Precision::kDouble) == 0.0);
}

TEST_CASE("each type has its lines, and emulated half precision is reported") {
  std::vector<std::string> lines = rates_text(of_all_types());
  CHECK(lines[0] == "peak        100 GFLOPS, multiply-adds in registers");
  CHECK(lines[7] == "peak of d   40 GFLOPS, multiply-adds in registers");
  CHECK(lines[8] == "peak of h   300 GFLOPS, multiply-adds in registers");
  CHECK(lines[9].starts_with("multiply-adds in single precision: "));
  CHECK(lines[13].starts_with("multiply-adds in double precision: "));
  CHECK(lines[15] == "    2            -            -          *40");
  CHECK(lines[16].starts_with("multiply-adds in half precision: "));
  DeviceRates emulated = made_up();
  emulated.half_is_emulated = true;
  lines = rates_text(emulated);
  CHECK_THAT(lines[7], Catch::Matchers::ContainsSubstring("emulated"));
}

TEST_CASE("rates are printed with their units, and the chosen form is marked") {
  const std::vector<std::string> lines = rates_text(made_up());
  REQUIRE(lines.size() == 11);
  CHECK(lines[0].starts_with("peak        100 GFLOPS"));
  CHECK(lines[1].starts_with("copy        12 GB/s"));
  CHECK(lines[2] == "local       not measured");
  CHECK(lines[4].starts_with("launch      21.5 us"));
  CHECK(lines[6].starts_with("timer       1000 ns"));
  CHECK(lines[8] == "width   expression          mad          fma");
  CHECK(lines[9] == "    1        *4.25            -            -");
  CHECK(lines[10] == "    4          *99          100            -");
}

TEST_CASE("implausible timestamps are reported") {
  DeviceRates rates;
  rates.event_time = false;
  const std::vector<std::string> lines = rates_text(rates);
  REQUIRE(lines.size() == 7);
  CHECK_THAT(lines[6], Catch::Matchers::ContainsSubstring("wall times"));
}

}  // namespace
}  // namespace tilewright
