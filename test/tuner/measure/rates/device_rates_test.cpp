// Tests of the decisions of the micro-benchmarks, with artificial clocks and memory sizes.
#include "tuner/measure/rates/device_rates.hpp"

#include <algorithm>
#include <limits>

#include "catch.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

// A device whose runs take `ns_per_size` per unit of size plus 10 us.
struct MadeUpClock {
  double ns_per_size = 1.0;
  double longest_ns = 0.0;
  std::int64_t largest = 0;
  int runs = 0;

  std::optional<double> operator()(std::int64_t size) {
    const double ns = 1e4 + ns_per_size * static_cast<double>(size);
    longest_ns = std::max(longest_ns, ns);
    largest = std::max(largest, size);
    ++runs;
    return ns;
  }
};

TEST_CASE("the timer step is the smallest difference between distinct timestamps") {
  CHECK(timer_step_ns({{1000, 3000, 0.0}, {8000, 9000, 0.0}, {9000, 12000, 0.0}}) == 1000.0);
  // Between one launch and the next, in any order.
  CHECK(timer_step_ns({{7080, 7500, 0.0}, {5000, 7000, 0.0}}) == 80.0);
  CHECK(timer_step_ns({{0, 0, 0.0}, {0, 0, 0.0}}) == 0.0);
  CHECK(timer_step_ns({}) == 0.0);
  // Timestamps may start at any value.
  const std::uint64_t late = std::numeric_limits<std::uint64_t>::max() - 500;
  CHECK(timer_step_ns({{late, late + 81, 0.0}}) == 81.0);
}

TEST_CASE("timestamps are plausible if each launch ends after its start, within the wall time") {
  CHECK(timestamps_make_sense({{1000, 2'000'000, 2.1e6}, {2'100'000, 4'000'000, 2.0e6}}));
  CHECK(timestamps_make_sense({}));
  // Clocks that run at slightly different rates are not garbage.
  CHECK(timestamps_make_sense({{0, 2'000'000, 1.5e6}}));
}

TEST_CASE("timestamps that are all zero, go backwards or stand still are implausible") {
  CHECK_FALSE(timestamps_make_sense({{0, 0, 2e6}, {0, 0, 2e6}}));
  CHECK_FALSE(timestamps_make_sense({{5000, 4000, 2e6}}));
  CHECK_FALSE(timestamps_make_sense({{5000, 5000, 2e6}}));
  // A single implausible one is enough, because candidates would fail now and then.
  CHECK_FALSE(timestamps_make_sense({{1000, 2'000'000, 2.1e6}, {9000, 9000, 2e6}}));
}

TEST_CASE("timestamps of more than ten times the wall time are implausible") {
  CHECK(timestamps_make_sense({{0, 20'000'000, 2e6}}));
  CHECK_FALSE(timestamps_make_sense({{0, 20'000'001, 2e6}}));
  CHECK_FALSE(timestamps_make_sense({{1, std::numeric_limits<std::uint64_t>::max(), 2e6}}));
}

TEST_CASE(
    "the buffer to copy is larger than the caches and leaves memory for the rest of a board") {
  const std::int64_t huge = std::int64_t{64} << 30;
  CHECK(copy_buffer_bytes({huge, huge, 256 * 1024}) == 64 * kMebibyte);
  CHECK(copy_buffer_bytes({huge, huge, 32 * kMebibyte}) == 128 * kMebibyte);
  CHECK(copy_buffer_bytes({huge, huge, 1024 * kMebibyte}) == 256 * kMebibyte);
  CHECK(copy_buffer_bytes({512 * kMebibyte, 128 * kMebibyte, 0}) == 32 * kMebibyte);
  CHECK(copy_buffer_bytes({huge, 16 * kMebibyte, 0}) == 16 * kMebibyte);
  // Unknown sizes, and nonsensical ones.
  CHECK(copy_buffer_bytes({0, 0, 0}) == 64 * kMebibyte);
  CHECK(copy_buffer_bytes({huge, huge, std::numeric_limits<std::int64_t>::max()}) ==
        256 * kMebibyte);
}

TEST_CASE("runs grow until they are long enough, and never become much longer") {
  for (const double ns_per_size : {0.001, 1.0, 100.0, 3e5}) {
    INFO(ns_per_size);
    MadeUpClock clock{ns_per_size};
    const auto size = grown_size(std::ref(clock), 1, std::int64_t{1} << 40, 2e6);
    REQUIRE(size);
    CHECK(clock(*size) >= 2e6);
    CHECK(clock.longest_ns < 4 * 2e6);
  }
}

TEST_CASE("if the first run is long enough, its size is used") {
  MadeUpClock clock{1e7};
  CHECK(grown_size(std::ref(clock), 2, 1000, 2e6) == 2);
  CHECK(clock.largest == 2);
}

TEST_CASE("the growth ends at the maximum size") {
  MadeUpClock clock{0.0};
  CHECK(grown_size(std::ref(clock), 1, 1000, 2e6) == 1000);
  CHECK(clock.largest == 1000);
  CHECK(grown_size(std::ref(clock), 50, 10, 2e6) == 10);
  CHECK(grown_size(std::ref(clock), 1, std::numeric_limits<std::int64_t>::max(), 2e6) ==
        std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("one slow run among short ones does not end the growth") {
  int runs = 0;
  const RunOfSize hiccup = [&](std::int64_t size) -> std::optional<double> {
    return ++runs % 3 == 0 ? 1e9 : static_cast<double>(size);
  };
  CHECK(grown_size(hiccup, 1, 1 << 20, 1e5) == 1 << 18);
}

TEST_CASE("a workload that fails, at first or later, has no size") {
  CHECK_FALSE(grown_size([](std::int64_t) { return std::nullopt; }, 1, 1000, 2e6));
  CHECK_FALSE(
      grown_size([](std::int64_t size) { return size < 64 ? std::optional(1.0) : std::nullopt; }, 1,
                 1000, 2e6));
}

}  // namespace
}  // namespace tilewright
