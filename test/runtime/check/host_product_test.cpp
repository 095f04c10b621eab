#include "runtime/check/host_product.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

namespace tilewright {
namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("a product computed by hand") {
  const std::vector<ProductElement> got =
      host_product({2, 2, 3}, 2, {1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}, -3, {1, 2, 3, 4});
  const double ab[] = {58, 64, 139, 154};
  REQUIRE(got.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(got[i].value == 2 * ab[i] - 3 * (static_cast<double>(i) + 1));
  }
}

TEST_CASE("beta = 0 does not read C, alpha = 0 reads neither A nor B") {
  CHECK(host_product({1, 1, 1}, 1, {2}, {2}, 0, {kNaN}).at(0).value == 4);
  CHECK(host_product({1, 1, 1}, 0, {kNaN}, {kNaN}, 3, {2}).at(0).value == 6);
}

TEST_CASE("the bound covers single-precision rounding, and grows with k and the magnitudes") {
  std::vector<double> a(1000);
  std::vector<double> b(1000);
  float sum = 0.0f;
  for (std::size_t p = 0; p < 1000; ++p) {
    a[p] = std::sin(static_cast<float>(p));
    b[p] = std::cos(static_cast<float>(3 * p));
    sum += static_cast<float>(a[p]) * static_cast<float>(b[p]);
  }
  const ProductElement element = host_product({1, 1, 1000}, 1, a, b, 0, {}).front();
  CHECK(std::abs(sum - element.value) <= element.bound);
  CHECK(element.bound < 0.05);
  CHECK(host_product({1, 1, 500}, 1, a, b, 0, {}).front().bound < element.bound / 3);
  CHECK(host_product({1, 1, 1000}, 10, a, b, 0, {}).front().bound == Approx(10 * element.bound));
}

TEST_CASE("the bound of half-precision sums grows with their number of steps, and only theirs") {
  const std::vector<double> a(64, 0.5);
  const std::vector<double> b(64, 0.25);
  const ProductElement floats = host_product({1, 1, 64}, 2.0, a, b, 0, {}).front();
  CHECK(floats.magnitude == 16.0);
  const auto tolerance = [&](int steps) {
    return with_half_sums(floats, steps, 64, 2.0).bound - floats.bound;
  };
  const double flushed = 2 * 64 * 2.0 * std::ldexp(1.0, -14);
  CHECK(tolerance(0) == 0.0);
  CHECK(tolerance(8) == Approx(9 * 16.0 / 2048 + flushed));
  CHECK(tolerance(64) == Approx(65 * 16.0 / 2048 + flushed));
  CHECK(tolerance(kWholeK) == tolerance(64));
}

TEST_CASE("in double precision the sum is as accurate as in twice the precision") {
  // 1 + 2^-60 - 1: a double sum loses the remainder.
  const std::vector<double> a{1.0, std::ldexp(1.0, -60), -1.0};
  const std::vector<double> b{1.0, 1.0, 1.0};
  const auto product = [&](Precision precision) {
    return host_product({1, 1, 3}, 1.0, a, b, 0, {}, precision).front();
  };
  CHECK(product(Precision::kDouble).value == std::ldexp(1.0, -60));
  CHECK(product(Precision::kDouble).bound < 1e-14);
  CHECK(product(Precision::kSingle).bound > 1e-7);
}

}  // namespace
}  // namespace tilewright
