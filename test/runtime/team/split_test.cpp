// Tests how a team divides an extent among its members.
#include "runtime/team/split.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "catch.hpp"

namespace tilewright {
namespace {

using Parts = std::vector<std::int64_t>;

// A member that needs `start` seconds and then `per_line` seconds for each line.
TimeCurve linear(double start, double per_line, std::int64_t extent) {
  std::vector<std::pair<std::int64_t, double>> points;
  for (std::int64_t i = 1; i <= 8; ++i) {
    const std::int64_t part = extent * i / 8;
    points.emplace_back(part, start + per_line * static_cast<double>(part));
  }
  return TimeCurve(points);
}

TEST_CASE("team split: equal members get equal parts, in multiples of the granule") {
  const std::vector<TimeCurve> curves{linear(0, 1, 1024), linear(0, 1, 1024)};
  CHECK(split_evenly_in_time(curves, {1, 1}, 1024, 32) == Parts{512, 512});
  // 33 granules, of which the last one is not whole. The last member computes it.
  CHECK(split_evenly_in_time(curves, {1, 1}, 1030, 32) == Parts{512, 518});
}

TEST_CASE("team split: parts are in proportion to rates, and follow measured scales") {
  const std::vector<TimeCurve> curves{linear(0, 1, 1000), linear(0, 3, 1000)};
  CHECK(split_evenly_in_time(curves, {1, 1}, 1000, 10) == Parts{750, 250});
  CHECK(split_evenly_in_time(curves, {3, 1}, 1000, 10) == Parts{500, 500});
}

TEST_CASE("team split: a member that starts too slowly gets nothing") {
  const std::vector<TimeCurve> curves{linear(0, 1, 100), linear(1000, 1, 100)};
  CHECK(split_evenly_in_time(curves, {1, 1}, 100, 1) == Parts{100, 0});
  CHECK(split_evenly_in_time({linear(0, 1, 100)}, {1}, 100, 7) == Parts{100});
}

TEST_CASE("team split: no other division into granules finishes earlier") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(0.0, 1.0);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t extent = 1 + static_cast<std::int64_t>(number(random) * 300);
    const std::int64_t granule = 1 + static_cast<std::int64_t>(number(random) * 40);
    const std::int64_t whole = (extent / 8 + 1) * 8;
    const std::vector<TimeCurve> curves{linear(20 * number(random), 0.1 + number(random), whole),
                                        linear(20 * number(random), 0.1 + number(random), whole)};
    const std::vector<double> scales{0.5 + number(random), 0.5 + number(random)};
    const Parts parts = split_evenly_in_time(curves, scales, extent, granule);
    REQUIRE(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}) == extent);
    const auto rounded = [&](const Parts& of) {
      Parts up;
      for (const std::int64_t part : of) up.push_back((part + granule - 1) / granule * granule);
      return finish_seconds(curves, scales, up);
    };
    const std::int64_t units = (extent + granule - 1) / granule;
    double best = rounded(parts);
    for (std::int64_t first = 0; first <= units; ++first) {
      best = std::min(best, rounded({first * granule, (units - first) * granule}));
    }
    INFO(extent << " by " << granule << ": " << parts[0] << " " << parts[1]);
    CHECK(rounded(parts) <= best * (1 + 1e-9));
  }
}

TEST_CASE("team split: parts by shares cover the extent exactly") {
  CHECK(split_by_shares({1, 1}, 5) == Parts{3, 2});
  CHECK(split_by_shares({0, 2, 1, 0}, 9) == Parts{0, 6, 3, 0});
  CHECK(split_by_shares({1, 1e-9}, 100) == Parts{100, 0});
  CHECK(split_by_shares({1, 1, 1}, 1) == Parts{0, 1, 0});
}

TEST_CASE(
    "team split: times never decrease, and small parts cost at least half of the first point") {
  const TimeCurve curve({{10, 5.0}, {20, 4.0}, {40, 8.0}});
  CHECK(curve.seconds(0) == 0.0);
  CHECK(curve.seconds(1) == 2.5);
  CHECK(curve.seconds(10) == 5.0);
  CHECK(curve.seconds(20) == 5.0);
  CHECK(curve.seconds(30) == 6.5);
  CHECK(curve.seconds(50) == 9.5);
}

}  // namespace
}  // namespace tilewright
