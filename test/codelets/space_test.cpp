#include "codelets/space.hpp"

#include <algorithm>
#include <numeric>

#include "catch.hpp"

namespace tilewright {
namespace {

constexpr SpaceLimits kSmall{8, {8, 8}, 24};

TEST_CASE("a space holds exactly the valid points, in order, without repeats") {
  const Space space(Op::kNT, kSmall);
  const auto& points = space.points();
  REQUIRE(points.size() > 1000);
  CHECK(std::is_sorted(points.begin(), points.end(),
                       [](const auto& a, const auto& b) { return a < b; }));
  CHECK(std::adjacent_find(points.begin(), points.end()) == points.end());
  CHECK(std::all_of(points.begin(), points.end(), [](const ParameterPoint& point) {
    return point.op == Op::kNT && broken_rule(point, kSmall) == nullptr;
  }));
}

TEST_CASE("valid points and fallen ones make up the full product") {
  const Space space(Op::kNN, kSmall);
  std::int64_t product = 1;
  for (const Field& field : fields()) {
    if (field.name != "op") product *= static_cast<std::int64_t>(field.values.size());
  }
  const auto& fallen = space.fallen();
  const auto points = static_cast<std::int64_t>(space.points().size());
  CHECK(points + std::accumulate(fallen.begin(), fallen.end(), std::int64_t{0}) == product);
  // On such a small device every rule has its victims.
  CHECK(std::all_of(fallen.begin(), fallen.end(), [](std::int64_t count) { return count > 0; }));
}

TEST_CASE("the digest names the space") {
  CHECK(Space(Op::kNN, kSmall).digest() == Space(Op::kNN, kSmall).digest());
  CHECK(Space(Op::kNN, kSmall).digest() != Space(Op::kTN, kSmall).digest());
  CHECK(Space(Op::kNN, kSmall).digest() != Space(Op::kNN, {16, {8, 8}, 24}).digest());
}

TEST_CASE("neighbours differ in one parameter, are valid, and neighbourhood is mutual") {
  const Space space(Op::kTN, kSmall);
  for (std::size_t i = 0; i < space.points().size(); i += 97) {
    const ParameterPoint& point = space.points()[i];
    for (const ParameterPoint& neighbour : space.neighbours(point)) {
      int different = 0;
      for (const Field& field : fields())
        different += field.get(point) != field.get(neighbour) ? 1 : 0;
      CHECK(different == 1);
      CHECK(broken_rule(neighbour, kSmall) == nullptr);
      const auto back = space.neighbours(neighbour);
      CHECK(std::find(back.begin(), back.end(), point) != back.end());
    }
  }
}

}  // namespace
}  // namespace tilewright
