// What a batched call stands for, without a device.
#include "runtime/batch.hpp"

#include <functional>
#include <limits>

#include "catch.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max();

tw_status status_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.status();
  }
  return TW_SUCCESS;
}

TEST_CASE("strides count from the offset, and stay large where they overflow") {
  const StridedMatrices a{{}, 3, 2, 10};
  const StridedMatrices b{{}, 5, 2, 0};
  const StridedMatrices c{{}, 7, 2, kLargest / 2};
  const Batch batch = strided_batch({.m = 2, .n = 2, .k = 2}, a, b, c, 4);
  REQUIRE(batch.size() == 4);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    CHECK(batch[i].call.m == 2);
    CHECK(batch[i].a.offset == 3 + 10 * i);
    CHECK(batch[i].b.offset == 5);
    CHECK(batch[i].b.ld == 2);
  }
  CHECK(batch[0].c.offset == 7);
  CHECK(batch[1].c.offset == 7 + kLargest / 2);
  CHECK(batch[2].c.offset == kLargest);
  CHECK(batch[3].c.offset == kLargest);
}

TEST_CASE("products that would overwrite each other are refused") {
  const StridedMatrices x{{}, 0, 2, 0};
  CHECK(strided_batch({}, x, x, x, 0).empty());
  CHECK(strided_batch({}, x, x, x, 1).size() == 1);
  CHECK(status_of([&] { strided_batch({}, x, x, x, 2); }) == TW_INVALID_VALUE);
}

TEST_CASE("each product of a list has its own offsets and scalars") {
  const ListedMatrices a{{}, {1, 2}, 9};
  const ListedMatrices b{{}, {3, 4}, 9};
  const ListedMatrices c{{}, {5, 6}, 9};
  const GemmCall call{.m = 1, .n = 1, .k = 1, .alpha = 2.0f, .beta = 3.0f};
  const Batch plain = listed_batch(call, a, b, c, {});
  REQUIRE(plain.size() == 2);
  CHECK(plain[1].call.alpha == 2.0f);
  CHECK(plain[1].call.beta == 3.0f);
  const Batch scaled = listed_batch(call, a, b, c, {{0.5f, 1.5f}, {}});
  CHECK(scaled[1].call.alpha == 1.5f);
  CHECK(scaled[1].call.beta == 3.0f);
  CHECK(scaled[1].a.offset == 2);
  CHECK(scaled[1].b.offset == 4);
  CHECK(scaled[1].c.offset == 6);
  CHECK(listed_batch(call, {}, {}, {}, {}).empty());
}

TEST_CASE("lists of different lengths are refused") {
  const ListedMatrices two{{}, {0, 0}, 9};
  const ListedMatrices one{{}, {0}, 9};
  CHECK(status_of([&] { listed_batch({}, one, two, two, {}); }) == TW_INVALID_VALUE);
  CHECK(status_of([&] { listed_batch({}, two, one, two, {}); }) == TW_INVALID_VALUE);
  CHECK(status_of([&] { listed_batch({}, two, two, one, {}); }) == TW_INVALID_VALUE);
  CHECK(status_of([&] { listed_batch({}, two, two, two, {{1.0f}, {}}); }) == TW_INVALID_VALUE);
  CHECK(status_of([&] { listed_batch({}, two, two, two, {{}, {1.0f}}); }) == TW_INVALID_VALUE);
}

}  // namespace
}  // namespace tilewright
