#include "tuner/search/neighbourhood.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("without known points there is no expectation") {
  CHECK(Neighbourhood().expected_cost({0.0F}) == 0.0);
}

TEST_CASE("the nearest points determine most of the expected cost") {
  Neighbourhood known;
  for (int i = 0; i <= 10; ++i) {
    const auto place = static_cast<float>(i) / 10.0F;
    known.learn({place, 0.0F}, i);
    known.learn({place, 1.0F}, 100.0 + i);
  }
  CHECK(known.expected_cost({0.2F, 0.0F}) == Approx(2.0).margin(0.1));
  CHECK(known.expected_cost({0.85F, 0.0F}) == Approx(8.5).margin(1.0));
  CHECK(known.expected_cost({0.2F, 1.0F}) > 90.0);
}

TEST_CASE("coordinates of a point are from 0 to 1 for scales, and whole numbers otherwise") {
  CHECK(is_scale({"1", "2", "16"}));
  CHECK_FALSE(is_scale({"0", "1", "2"}));
  CHECK_FALSE(is_scale({"no", "yes"}));
  CHECK(normalized_value(1, 5, true) == 0.25F);
  CHECK(normalized_value(3, 5, false) == 3.0F);
  CHECK(normalized_point(parse_point("gemm tile_m=8")) !=
        normalized_point(parse_point("gemm tile_m=4")));
}

}  // namespace
}  // namespace tilewright
