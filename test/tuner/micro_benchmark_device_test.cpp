#include "catch.hpp"
#include "runtime/device_identity.hpp"
#include "test_device.hpp"
#include "tuner/micro_benchmark.hpp"
#include "tuner/statistics.hpp"

namespace tilewright {
namespace {

TEST_CASE("a device multiplies and adds at a plausible rate in every spelling and vector width") {
  const TestDevice d;
  const std::vector<WidthResult> results = run_micro_benchmark({0, d.device, identify(d.device)});
  REQUIRE(results.size() == 5);
  for (const WidthResult& result : results) {
    INFO(result.vector_width);
    CHECK(result.times.size() == 3);
    for (const SpellingTimes& times : result.times) {
      const double gflops = 1.0 / quantile(times.ns_per_flop, 0.5);
      CHECK(gflops > 0.01);
      CHECK(gflops < 1e6);
    }
  }
}

}  // namespace
}  // namespace tilewright
