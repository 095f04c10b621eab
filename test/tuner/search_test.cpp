// Search on made-up costs: no device, no clock.
#include "tuner/search.hpp"

#include <cmath>
#include <limits>

#include "../codelets/sample_rules.hpp"
#include "catch.hpp"

namespace tilewright {
namespace {

constexpr SpaceLimits kCpu{4096,    {4096, 4096}, 512,  std::numeric_limits<std::int64_t>::max(),
                           1 << 20, false,        false};

// A space that one can walk through.
Space tiny_space(Op op) {
  return {
      gemm_point(op),
      {4, {4, 4}, 12, 0, false, false},
      {false,
       {"unroll_k", "multiply_add", "id_order", "assignment", "lanes_m", "lanes_n", "group_order",
        "split_k", "cache_block_k", "local_a", "local_b", "prefetch", "access", "addressing"}},
      sample_rules()};
}

Space cpu_space() {
  return {gemm_point(Op::kNN), kCpu, {}, sample_rules()};
}

// A cost with one valley: far from the ideal is slow. What the model cannot know matters, too.
double made_up_cost(const ParameterPoint& point) {
  const auto& p = std::get<GemmPoint>(point);
  const auto apart = [](int a, int b) { return std::abs(std::log2(static_cast<double>(a) / b)); };
  return apart(p.tile_m, 8) + apart(p.tile_n, 48) + apart(p.vector_width, 16) + apart(p.tile_k, 1) +
         0.3 * apart(p.work_group_m, 1) + 0.3 * apart(p.work_group_n, 2) +
         0.3 * apart(p.split_k, 1) + (p.inner == Inner::kOuter ? 0.0 : 1.0) +
         (p.multiply_add == MultiplyAdd::kFma ? 0.0 : 0.5) + (p.cache_block_k > 0 ? 1.0 : 0.0) +
         (p.local_a ? 0.5 : 0.0) + (p.local_b ? 0.5 : 0.0) +
         (p.addressing == Addressing::kIndices ? 0.0 : 0.1);
}

double best_after(int proposals, std::uint64_t seed) {
  const Space space = cpu_space();
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
  const Space space = tiny_space(Op::kNN);
  RandomThenGreedy search(space, 10, {4, 1}, 3);
  std::set<ParameterPoint> seen;
  while (const auto point = search.next()) {
    REQUIRE(seen.insert(*point).second);
    search.report(*point,
                  seen.size() % 3 == 0 ? std::nullopt : std::optional(made_up_cost(*point)));
  }
  CHECK(seen.size() > 100);
  CHECK(static_cast<std::int64_t>(seen.size()) == space.count().valid);
}

TEST_CASE("a point that was reported without being proposed is not proposed again") {
  const Space space = tiny_space(Op::kNN);
  const ParameterPoint known = gemm_point(Op::kNN);
  RandomThenGreedy search(space, 10, {4, 1}, 3);
  search.report(known, 1.0);
  while (const auto point = search.next()) REQUIRE_FALSE(*point == known);
}

TEST_CASE("a seed is a search") {
  const Space space = tiny_space(Op::kTN);
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

TEST_CASE("the search finds a valley in a space of 10^11 points, from any seed") {
  CHECK(cpu_space().count().valid > 100'000'000'000);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    const double found = best_after(300, seed);
    CHECK(found < 0.7);
    CHECK(found < best_after(24, seed));
  }
}

}  // namespace
}  // namespace tilewright
