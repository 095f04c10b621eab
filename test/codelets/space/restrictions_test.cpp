// Tests parameters that are searched only on request: some values of a parameter, and compile
// options.
#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "catch.hpp"
#include "codelets/space/space.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();
constexpr SpaceLimits kBoard{{256, {256, 256}, 32768, true, true}, 16, 128, kNoBound};
constexpr SpaceLimits kTinyBoard{{8, {8, 8}, 1024, true, false}, 16, 24, kNoBound};

TEST_CASE("parameters can be restricted to some of their values", "[long]") {
  // Restricted to vectors of 4 and k steps of 1, because counting the whole space takes half a
  // minute.
  SpaceOptions options{false, {}, {{"tile_k", {"1"}}, {"vector_width", {"4"}}}};
  const Space whole(gemm_point(Op::kNN), kBoard, options);
  options.only["tile_m"] = {"16", "4"};
  options.only["inner"] = {"outer"};
  const Space space(gemm_point(Op::kNN), kBoard, options);
  const SpaceCount count = space.count();
  CHECK(count.valid > 0);
  CHECK(count.valid < whole.count().valid);
  CHECK(count.product ==
        std::accumulate(count.excluded.begin(), count.excluded.end(), count.valid));
  std::mt19937_64 random(17);
  std::set<int> tiles;
  bool steps = false;
  for (int i = 0; i < 200; ++i) {
    const ParameterPoint point = *space.draw(random);
    const auto& gemm = std::get<GemmPoint>(point);
    REQUIRE((gemm.tile_m == 4 || gemm.tile_m == 16));
    REQUIRE(gemm.inner == Inner::kOuter);
    REQUIRE(space.contains(point));
    REQUIRE(whole.contains(point));
    tiles.insert(gemm.tile_m);
    for (const ParameterPoint& neighbour : space.neighbours(point)) {
      REQUIRE(space.contains(neighbour));
      // With this restriction, going from 4 to 16 is a single step.
      steps = steps || std::get<GemmPoint>(neighbour).tile_m != gemm.tile_m;
    }
  }
  CHECK(tiles.size() == 2);
  CHECK(steps);
}

TEST_CASE(
    "half-precision sums are searched only if a restriction names them, and only in half precision") {
  SpaceLimits limits = kBoard;
  limits.half_arithmetic = true;
  const auto seen = [&](Precision precision, std::map<std::string, std::vector<std::string>> only) {
    const Space space(with_precision(gemm_point(Op::kNN), precision), limits,
                      {false, {}, std::move(only)});
    std::mt19937_64 random(3);
    std::set<int> steps;
    for (int i = 0; i < 60; ++i) {
      const auto drawn = space.draw(random);
      REQUIRE(drawn);
      const ParameterPoint& point = *drawn;
      steps.insert(std::get<GemmPoint>(point).accumulate_k);
      for (const ParameterPoint& neighbour : space.neighbours(point)) {
        REQUIRE(space.contains(neighbour));
        steps.insert(std::get<GemmPoint>(neighbour).accumulate_k);
      }
    }
    return steps;
  };
  CHECK(seen(Precision::kHalf, {}) == std::set{0});
  CHECK(seen(Precision::kHalf, {{"accumulate_k", {"0", "8", "all"}}}) == std::set{0, 8, kWholeK});
  CHECK(seen(Precision::kDouble, {{"accumulate_k", {"0", "8"}}}) == std::set{0});
  CHECK_THROWS_AS(seen(Precision::kSingle, {{"accumulate_k", {"8"}}}), ParameterError);
}

TEST_CASE("a restriction that has an effect is part of the digest") {
  const auto digest = [](std::map<std::string, std::vector<std::string>> only) {
    return Space(gemm_point(Op::kNN), kBoard, {true, {}, std::move(only)}).digest();
  };
  CHECK(digest({{"tile_m", {"4", "8"}}}) != digest({}));
  CHECK(digest({{"tile_m", {"4"}}}) != digest({{"tile_m", {"8"}}}));
  CHECK(digest({{"tile_m", {"4", "8"}}}) == digest({{"tile_m", {"8", "4", "4"}}}));
  CHECK(digest({{"local_a", {"no", "yes"}}}) == digest({}));
  CHECK(digest({{"layout_a", {"R 8 1 C"}}}) == digest({{"layout_a", {"R8x1C"}}}));
}

TEST_CASE("impossible restrictions are rejected by name") {
  using Only = std::map<std::string, std::vector<std::string>>;
  const auto refusal = [](const Only& only, const std::vector<std::string>& fixed) {
    try {
      const Space space(gemm_point(Op::kNN), kBoard, {false, fixed, only});
    } catch (const ParameterError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal({{"tile_m", {"4", "16"}}}, {}).empty());
  CHECK_THAT(refusal({{"colour", {"red"}}}, {}), Catch::Matchers::ContainsSubstring("colour"));
  CHECK(refusal({{"tile_m", {"5"}}}, {}).starts_with("tile_m: '5' is not one of"));
  CHECK(refusal({{"bias", {"m"}}}, {}).find("(required)") != std::string::npos);
  CHECK(refusal({{"split_k", {"2"}}}, {"split_k"}).find("(fixed)") != std::string::npos);
  CHECK(refusal({{"layout_a", {"R8x1C"}}}, {}).find("not packed") != std::string::npos);
  CHECK(refusal({{"image_a", {"yes"}}}, {}).find("none of yes") != std::string::npos);

  CHECK(parse_restrictions({"tile_m=4,8", "inner=dot", "tile_m=2"}) ==
        Only{{"tile_m", {"4", "8", "2"}}, {"inner", {"dot"}}});
  for (const char* text : {"tile_m", "=4", "tile_m=", ""}) {
    INFO(text);
    CHECK_THROWS_AS(parse_restrictions({text}), ParameterError);
  }
}

TEST_CASE("late parameters change only in neighbours, unless a restriction names them") {
  const Space space(gemm_point(Op::kNN), kBoard);
  const auto is_late = [](const ParameterPoint& point, const char* text) {
    return to_text(point).find(text) != std::string::npos;
  };
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const ParameterPoint point = *space.draw(random);
    REQUIRE_FALSE((is_late(point, "math=") || is_late(point, "group_size=")));
    int late = 0;
    for (const ParameterPoint& neighbour : space.neighbours(point)) {
      REQUIRE(space.contains(neighbour));
      CHECK_FALSE(is_late(neighbour, "math=fast"));
      CHECK_FALSE(is_late(neighbour, "exp="));  // without an activation
      late += is_late(neighbour, "math=mad") || is_late(neighbour, "group_size=hint");
    }
    CHECK(late == 2);
  }
  CHECK(space.contains(parse_point("math=mad group_size=driver")));
  CHECK_FALSE(space.contains(parse_point("math=fast")));
  const Space fast(gemm_point(Op::kNN), kBoard, {false, {}, {{"math", {"fast"}}}});
  CHECK(is_late(*fast.draw(random), "math=fast"));
  CHECK(fast.digest() != space.digest());
  // Counting the whole space takes too long.
  SpaceOptions options{false, {}, {{"vector_width", {"4"}}}};
  const Space one(gemm_point(Op::kNN), kTinyBoard, options);
  options.only["math"] = {"exact", "mad"};
  CHECK(Space(gemm_point(Op::kNN), kTinyBoard, options).count().valid == 2 * one.count().valid);
}

TEST_CASE("steps lead to and from points whose work-groups the driver chooses") {
  const Space space(gemm_point(Op::kNN), kBoard);
  const auto leads = [&](const char* from, const char* to) {
    const auto neighbours = space.neighbours(parse_point(from));
    return std::find(neighbours.begin(), neighbours.end(), parse_point(to)) != neighbours.end();
  };
  CHECK(leads("tile_m=4 work_group_m=4 work_group_n=16", "tile_m=4 group_size=driver"));
  CHECK(leads("tile_m=4 group_size=driver", "tile_m=4 work_group_m=2"));
  CHECK(leads("tile_m=4 group_size=driver", "tile_m=6 group_size=driver"));
}

}  // namespace
}  // namespace tilewright
