#include "runtime/check/host_product.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

namespace tilewright {
namespace {

// 2 x 3 and 3 x 2 matrices with a gap and an offset; everything else is NaN.
const float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST_CASE("a product computed by hand, in all four transpose combinations") {
  const HostOperand a{{kNaN, 1, 2, 3, kNaN, 4, 5, 6}, 1, 4};      // [1 2 3; 4 5 6]
  const HostOperand at{{1, 4, kNaN, 2, 5, kNaN, 3, 6}, 0, 3};     // its transpose
  const HostOperand b{{7, 8, 9, 10, 11, 12}, 0, 2};               // [7 8; 9 10; 11 12]
  const HostOperand bt{{kNaN, kNaN, 7, 9, 11, 8, 10, 12}, 2, 3};  // its transpose
  const HostOperand c{{1, 2, 3, 4}, 0, 2};
  const double ab[2][2] = {{58, 64}, {139, 154}};
  const GemmShape shape{2, 2, 3};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const double want = 2 * ab[i][j] - 3 * (2 * i + j + 1);
      CHECK(host_product(Op::kNN, shape, 2, a, b, -3, c, i, j).value == want);
      CHECK(host_product(Op::kNT, shape, 2, a, bt, -3, c, i, j).value == want);
      CHECK(host_product(Op::kTN, shape, 2, at, b, -3, c, i, j).value == want);
      CHECK(host_product(Op::kTT, shape, 2, at, bt, -3, c, i, j).value == want);
    }
  }
}

TEST_CASE("beta = 0 does not read C, alpha = 0 reads neither A nor B") {
  const HostOperand nan{{kNaN}, 0, 1};
  const HostOperand two{{2}, 0, 1};
  CHECK(host_product(Op::kNN, {1, 1, 1}, 1, two, two, 0, nan, 0, 0).value == 4);
  CHECK(host_product(Op::kNN, {1, 1, 1}, 0, nan, nan, 3, two, 0, 0).value == 6);
}

TEST_CASE("the bound covers single-precision rounding, and grows with k and the magnitudes") {
  HostOperand a{std::vector<double>(1000), 0, 1000};
  HostOperand b{std::vector<double>(1000), 0, 1};
  float sum = 0.0f;
  for (std::size_t p = 0; p < 1000; ++p) {
    a.data[p] = std::sin(static_cast<float>(p));
    b.data[p] = std::cos(static_cast<float>(3 * p));
    sum += static_cast<float>(a.data[p]) * static_cast<float>(b.data[p]);
  }
  const ProductElement element = host_product(Op::kNN, {1, 1, 1000}, 1, a, b, 0, {}, 0, 0);
  CHECK(std::abs(sum - element.value) <= element.bound);
  CHECK(element.bound < 0.05);
  CHECK(host_product(Op::kNN, {1, 1, 500}, 1, a, b, 0, {}, 0, 0).bound < element.bound / 3);
  CHECK(host_product(Op::kNN, {1, 1, 1000}, 10, a, b, 0, {}, 0, 0).bound ==
        Approx(10 * element.bound));
}

TEST_CASE("the bound of half-precision sums grows with their number of steps, and only theirs") {
  const HostOperand a{std::vector<double>(64, 0.5), 0, 64};
  const HostOperand b{std::vector<double>(64, 0.25), 0, 1};
  const ProductElement floats = host_product(Op::kNN, {1, 1, 64}, 2.0, a, b, 0.0, {}, 0, 0);
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
  const HostOperand a{{1.0, std::ldexp(1.0, -60), -1.0}, 0, 3};
  const HostOperand b{{1.0, 1.0, 1.0}, 0, 1};
  const auto product = [&](Precision precision) {
    return host_product(Op::kNN, {1, 1, 3}, 1.0, a, b, 0.0, {}, 0, 0, precision);
  };
  CHECK(product(Precision::kDouble).value == std::ldexp(1.0, -60));
  CHECK(product(Precision::kDouble).bound < 1e-14);
  CHECK(product(Precision::kSingle).bound > 1e-7);
}

}  // namespace
}  // namespace tilewright
