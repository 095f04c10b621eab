// Tests the predicted time of a product of the validation, with made-up profiles.
#include "tuner/tuning/stages/product_trials.hpp"

#include <string>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "journal_examples.hpp"

namespace tilewright {
namespace {

// A profile of one kernel that takes this long for a product of 64 x 64 x 64.
Profile make_profile(const std::string& point, double ns) {
  Profile profile;
  profile.device = example_header({}).device.identity;
  profile.kernels = {emit(parse_point(point))};
  profile.results = {{Op::kNN, 64, 64, 64, profile.kernels[0].name, ns, ns, ns, 9, 0.1}};
  return profile;
}

TEST_CASE("products that are held out are measured with the other profile, too") {
  DeviceInfo device = example_header({}).device;
  device.max_buffer_bytes = 1 << 30;
  const Profile tuned = make_profile("gemm tile_m=4 tile_n=4 vector_width=4", 10e6);
  const Profile built_in = make_profile("gemm tile_m=2 tile_n=4 vector_width=4", 20e6);
  const Profile other = make_profile("gemm tile_m=8 tile_n=4 vector_width=4", 15e6);
  const RandomProduct product{Op::kNN, {64, 64, 64}};
  const auto forecast = [&](const Profile* third, bool held_out) {
    return ProductForecasts(tuned, built_in, third, device, Precision::kSingle, 200e6)
        .forecast(product, held_out);
  };
  const ProductForecast without = forecast(nullptr, true);
  CHECK(without.longest_call_ns == Approx(20e6));
  CHECK(forecast(&other, false).seconds == without.seconds);
  CHECK(forecast(&other, false).longest_call_ns == without.longest_call_ns);
  const ProductForecast with = forecast(&other, true);
  CHECK(with.longest_call_ns == without.longest_call_ns);
  CHECK(with.seconds == Approx(without.seconds + 1e-9 * 9 * 2 * 15e6));
  CHECK(with.compares_other);
  CHECK_FALSE(without.compares_other);
  // Only the comparison is left out if a call with the other profile would take too long.
  Profile knows_more = tuned;
  knows_more.kernels.push_back(other.kernels[0]);
  knows_more.results.push_back(other.results[0]);
  knows_more.results.back().median_ns = knows_more.results.back().high_ns = 300e6;
  const ProductForecast slow =
      ProductForecasts(knows_more, built_in, &other, device, Precision::kSingle, 200e6)
          .forecast(product, true);
  CHECK_FALSE(slow.compares_other);
  CHECK(slow.longest_call_ns == without.longest_call_ns);
  CHECK(slow.seconds == without.seconds);
}

}  // namespace
}  // namespace tilewright
