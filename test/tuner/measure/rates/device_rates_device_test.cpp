#include <algorithm>
#include <set>

#include "catch.hpp"
#include "runtime/device/device_identity.hpp"
#include "test_device.hpp"
#include "tuner/measure/rates/device_rates.hpp"
#include "tuner/measure/rates/micro_benchmark.hpp"

namespace tilewright {
namespace {

// Some devices emulate fma().
bool is_plausible(double gflops) {
  return gflops > 1e-4 && gflops < 1e6;
}

TEST_CASE("all rates of a device are measured that its features permit") {
  const TestDevice d;
  const ListedDevice device = {0, d.device, identify(d.device)};
  const DeviceRates rates = measure_device_rates(device);
  std::set<int> widths;
  double most = 0.0;
  for (const MultiplyAddRate& rate : rates.multiply_adds) {
    INFO(rate.vector_width << " " << rate.form << ": " << rate.gflops << " GFLOPS");
    CHECK(is_plausible(rate.gflops));
    widths.insert(rate.vector_width);
    most = std::max(most, rate.gflops);
  }
  CHECK(widths == std::set<int>{1, 2, 4, 8, 16});
  CHECK(rates.multiply_adds.size() == 15);
  CHECK(rates.peak_gflops == most);
  CHECK(rates.copy_gbytes_per_s > 0.0);
  CHECK((rates.local_gbytes_per_s > 0.0) == (device.identity.limits.local_memory_bytes > 0));
  CHECK((rates.image_gbytes_per_s > 0.0) == device.identity.limits.image_support);
  CHECK(rates.launch_ns > 0.0);
  CHECK(rates.round_trip_ns > 0.0);
  CHECK(rates.timer_step_ns > 0.0);
  CHECK(rates.event_time);
}

TEST_CASE("multiply-adds are measured in each requested type") {
  const TestDevice d;
  const ListedDevice device = {0, d.device, identify(d.device)};
  // Only multiply-adds remain to be measured.
  DeviceRates known;
  known.copy_gbytes_per_s = known.local_gbytes_per_s = known.image_gbytes_per_s = 1.0;
  const DeviceRates rates =
      measure_device_rates(device, never_stop, known, {Precision::kDouble, Precision::kHalf});
  const auto widths = [&](Precision arithmetic) {
    return std::count_if(rates.multiply_adds.begin(), rates.multiply_adds.end(),
                         [&](const auto& rate) { return rate.precision == arithmetic; });
  };
  const bool has_double = has_extension(d.device, "cl_khr_fp64");
  const bool has_half = has_extension(d.device, "cl_khr_fp16");
  CHECK(widths(Precision::kSingle) == 15);
  CHECK(widths(Precision::kDouble) == (has_double ? 15 : 0));
  CHECK(widths(Precision::kHalf) == (has_half ? 15 : 0));
  CHECK(rates.half_is_emulated == !has_half);
  CHECK(is_plausible(rates.peak_gflops));
  CHECK((rates.double_peak_gflops > 0.0) == has_double);
  CHECK((rates.half_peak_gflops > 0.0) == has_half);
}

TEST_CASE("a device without images or local memory has no rates for them") {
  const TestDevice d;
  ListedDevice device = {0, d.device, identify(d.device)};
  device.identity.limits.local_memory_bytes = 0;
  device.identity.limits.image_support = false;
  const DeviceRates rates = measure_device_rates(device);
  CHECK(rates.local_gbytes_per_s == 0.0);
  CHECK(rates.image_gbytes_per_s == 0.0);
  CHECK(rates.copy_gbytes_per_s > 0.0);
}

TEST_CASE("micro-benchmarks start nothing more when their time is over") {
  const TestDevice d;
  const ListedDevice device = {0, d.device, identify(d.device)};
  const MeasuredRates none = measure_device_rates(device, [] { return true; });
  CHECK(none.partial);
  CHECK(none.launch_ns > 0.0);
  CHECK(none.multiply_adds.empty());
  CHECK(none.copy_gbytes_per_s == 0.0);
  CHECK(none.peak_gflops == 0.0);
  int asked = 0;
  const auto some = measure_multiply_adds(d.executor, device, true, [&] { return ++asked > 2; });
  CHECK(some.partial);
  CHECK(some.rates.size() == 6);  // two widths
}

TEST_CASE("incomplete micro-benchmarks are completed, and nothing is measured twice") {
  const TestDevice d;
  const ListedDevice device = {0, d.device, identify(d.device)};
  DeviceRates known;
  known.copy_gbytes_per_s = 1e-3;  // no device is this slow
  known.launch_ns = 7e9;
  for (const int width : {4, 8, 16, 1}) {
    for (const char* form : {"expression", "mad", "fma"}) {
      known.multiply_adds.push_back({width, form, 1e-3});
    }
  }
  const MeasuredRates whole = measure_device_rates(device, never_stop, known);
  CHECK(!whole.partial);
  CHECK(whole.copy_gbytes_per_s == 1e-3);
  CHECK(whole.launch_ns == 7e9);
  CHECK(whole.round_trip_ns > 0.0);
  REQUIRE(whole.multiply_adds.size() == 15);
  for (const MultiplyAddRate& rate : whole.multiply_adds) {
    CHECK((rate.gflops > 1e-3) == (rate.vector_width == 2));
  }
  CHECK(whole.peak_gflops > 1e-3);
  // Everything is known, so no time is needed.
  CHECK(measure_device_rates(
            device, [] { return true; }, whole) == whole);
}

TEST_CASE("multiply-adds can be timed without event timestamps") {
  const TestDevice d;
  const auto rates =
      measure_multiply_adds(d.executor, {0, d.device, identify(d.device)}, false).rates;
  CHECK(rates.size() == 15);
  for (const MultiplyAddRate& rate : rates) {
    INFO(rate.vector_width << " " << rate.form << ": " << rate.gflops << " GFLOPS");
    CHECK(is_plausible(rate.gflops));
  }
}

}  // namespace
}  // namespace tilewright
