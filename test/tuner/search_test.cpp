// Search on made-up costs: no device, no clock.
#include "tuner/search.hpp"

#include <cmath>

#include "catch.hpp"

namespace tilewright {
namespace {

constexpr SpaceLimits kTiny{4, {4, 4}, 12};
constexpr SpaceLimits kCpu{4096, {4096, 4096}, 512};

// A cost with one valley: far from the ideal is slow.
double made_up_cost(const ParameterPoint& p) {
  const auto apart = [](int a, int b) { return std::abs(std::log2(static_cast<double>(a) / b)); };
  return apart(p.tile_m, 8) + apart(p.tile_n, 48) + apart(p.vector_width, 16) + apart(p.tile_k, 1) +
         0.3 * apart(p.work_group_m, 1) + 0.3 * apart(p.work_group_n, 2) +
         (p.inner == Inner::kOuter ? 0.0 : 1.0) + (p.multiply_add == MultiplyAdd::kFma ? 0.0 : 0.5);
}

double best_after(int proposals, std::uint64_t seed) {
  const Space space(Op::kNN, kCpu);
  RandomThenGreedy search(space, 24, {16, 1}, seed);
  double best = 1e9;
  for (int i = 0; i < proposals; ++i) {
    const auto point = search.next();
    REQUIRE(point);
    const double cost = made_up_cost(*point);
    search.report(*point, cost);
    best = std::min(best, cost);
  }
  return best;
}

TEST_CASE("a search never repeats itself and ends when the space does") {
  const Space space(Op::kNN, kTiny);
  RandomThenGreedy search(space, 10, {4, 1}, 3);
  std::set<ParameterPoint> seen;
  while (const auto point = search.next()) {
    REQUIRE(broken_rule(*point, kTiny) == nullptr);
    REQUIRE(seen.insert(*point).second);
    search.report(*point,
                  seen.size() % 3 == 0 ? std::nullopt : std::optional(made_up_cost(*point)));
  }
  CHECK(seen.size() == space.points().size());
}

TEST_CASE("a point that was reported without being proposed is not proposed again") {
  const Space space(Op::kNN, kTiny);
  RandomThenGreedy search(space, 10, {4, 1}, 3);
  search.report(ParameterPoint{}, 1.0);
  while (const auto point = search.next()) REQUIRE_FALSE(*point == ParameterPoint{});
}

TEST_CASE("a seed is a search") {
  const Space space(Op::kTN, kTiny);
  RandomThenGreedy one(space, 5, {4, 1}, 42);
  RandomThenGreedy two(space, 5, {4, 1}, 42);
  RandomThenGreedy other(space, 5, {4, 1}, 43);
  bool differs = false;
  for (int i = 0; i < 40; ++i) {
    const auto point = one.next();
    CHECK(point == two.next());
    const auto different = other.next();
    differs = differs || !(point == different);
    one.report(*point, made_up_cost(*point));
    two.report(*point, made_up_cost(*point));
    other.report(*different, made_up_cost(*different));
  }
  CHECK(differs);
}

TEST_CASE("the search finds a valley in a space of many thousand points, from any seed") {
  CHECK(Space(Op::kNN, kCpu).points().size() > 10000);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    CHECK(best_after(300, seed) < 0.7);
    CHECK(best_after(300, seed) < best_after(24, seed));
  }
}

}  // namespace
}  // namespace tilewright
