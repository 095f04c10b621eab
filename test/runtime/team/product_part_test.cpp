// Tests the memory of parts of a product.
#include "runtime/team/product_part.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("team: a part of C is one range only if there are no gaps between its lines") {
  GemmCall call{.m = 4, .n = 6, .k = 2};
  CHECK(is_one_range(call, 6));
  CHECK_FALSE(is_one_range(call, 12));  // the gaps may be another matrix
  CHECK(is_one_range(part_call(call, {SplitAxis::kM, 1, 2}), 6));
  CHECK_FALSE(is_one_range(part_call(call, {SplitAxis::kN, 1, 2}), 6));
  CHECK(is_one_range(part_call(call, {SplitAxis::kM, 1, 1}), 12));
  call.order = Order::kColumnMajor;
  CHECK(is_one_range(call, 4));
  CHECK_FALSE(is_one_range(call, 6));
  CHECK_FALSE(is_one_range(part_call(call, {SplitAxis::kM, 1, 2}), 4));
}

TEST_CASE("team: a product of complex numbers is the work of four") {
  GemmCall call{.m = 1000, .n = 1000, .k = 1000};
  CHECK(num_gflop(call) == Approx(2.0));
  call.type = ElementType::kComplexDouble;
  CHECK(num_gflop(call) == Approx(8.0));
}

TEST_CASE("team: gaps between lines are small if they have at most as many elements as the lines") {
  CHECK(spanned_elements({4, 6}, 10) == 36);
  CHECK(spanned_elements({0, 6}, 10) == 0);
  CHECK(spanned_elements({4, 0}, 10) == 0);
  CHECK(has_small_gaps({4, 6}, 6));
  CHECK(has_small_gaps({4, 6}, 14));
  CHECK_FALSE(has_small_gaps({4, 6}, 15));
  CHECK(has_small_gaps({1, 6}, 1000));
}

}  // namespace
}  // namespace tilewright
