#include <set>

#include "catch.hpp"
#include "runtime/device/device_identity.hpp"
#include "test_device.hpp"
#include "tuner/rates/device_rates.hpp"
#include "tuner/rates/micro_benchmark.hpp"

namespace tilewright {
namespace {

bool is_plausible(double gflops) {
  return gflops > 0.01 && gflops < 1e6;
}

TEST_CASE("a device's rates are all there, as far as it has what they are of") {
  const TestDevice d;
  const ListedDevice device = {0, d.device, identify(d.device)};
  const DeviceRates rates = measure_device_rates(device);
  std::set<int> widths;
  double most = 0.0;
  for (const MultiplyAddRate& rate : rates.multiply_adds) {
    INFO(rate.vector_width << " " << rate.form);
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

TEST_CASE("a device without images or local memory has no rates of them") {
  const TestDevice d;
  ListedDevice device = {0, d.device, identify(d.device)};
  device.identity.limits.local_memory_bytes = 0;
  device.identity.limits.image_support = false;
  const DeviceRates rates = measure_device_rates(device);
  CHECK(rates.local_gbytes_per_s == 0.0);
  CHECK(rates.image_gbytes_per_s == 0.0);
  CHECK(rates.copy_gbytes_per_s > 0.0);
}

TEST_CASE("micro-benchmarks begin nothing more when their time is over") {
  const TestDevice d;
  const ListedDevice device = {0, d.device, identify(d.device)};
  const DeviceRates none = measure_device_rates(device, [] { return true; });
  CHECK(none.launch_ns > 0.0);
  CHECK(none.multiply_adds.empty());
  CHECK(none.copy_gbytes_per_s == 0.0);
  CHECK(none.peak_gflops == 0.0);
  int asked = 0;
  const auto rates = measure_multiply_adds(d.executor, device, true, [&] { return ++asked > 2; });
  CHECK(rates.size() == 6);  // two widths
}

TEST_CASE("multiply-adds can be timed without event timestamps") {
  const TestDevice d;
  const auto rates = measure_multiply_adds(d.executor, {0, d.device, identify(d.device)}, false);
  CHECK(rates.size() == 15);
  for (const MultiplyAddRate& rate : rates) CHECK(is_plausible(rate.gflops));
}

}  // namespace
}  // namespace tilewright
