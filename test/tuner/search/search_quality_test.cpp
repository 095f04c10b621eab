// Tests that searches find good points, with artificial costs.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tuner/search/search.hpp"

#include "catch.hpp"
#include "made_up_costs.hpp"
#include "modelled_device.hpp"

namespace tilewright {
namespace {

double best_after(int proposals, std::uint64_t seed) {
  const Space space = cpu_space();
  const auto search = make_strategy(space, {.device = modelled_device(16, 1), .seed = seed});
  double best = 1e9;
  for (int i = 0; i < proposals; ++i) {
    const auto point = search->next();
    REQUIRE(point);
    const double cost = made_up_cost(*point);
    search->report(*point, cost);
    best = std::min(best, cost);
  }
  return best;
}

TEST_CASE("a search beats random draws", "[long]") {
  const Space space = cpu_space();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    double drawn = 1e9;
    for (int i = 0; i < 300; ++i) {
      if (const auto point = space.draw(random)) drawn = std::min(drawn, made_up_cost(*point));
    }
    CHECK(best_after(300, seed) < 0.5 * drawn);
  }
}

// Two shapes that need different kernels. The cost of a point is its loss on both. The best
// compromise is best for neither, so a search that follows only this cost misses the specialists.
TEST_CASE("a search that knows the costs of each shape finds a specialist for each", "[long]") {
  const auto apart = [](int a, int b) { return std::abs(std::log2(static_cast<double>(a) / b)); };
  const auto task_scores = [&](const ParameterPoint& point) {
    const auto& p = std::get<GemmPoint>(point);
    const double common = 0.3 * apart(p.vector_width, 16) + (p.local_a ? 1.0 : 0.0) +
                          (p.local_b ? 1.0 : 0.0) + (p.cache_block_k > 0 ? 1.0 : 0.0);
    return std::vector<double>{
        common + apart(p.tile_m, 12) + apart(p.tile_n, 16) + apart(p.work_group_m, 1),
        common + apart(p.tile_m, 2) + apart(p.tile_n, 64) + apart(p.work_group_m, 16)};
  };
  const auto best_of_parts = [&](std::uint64_t seed, bool report_parts) {
    const Space space = cpu_space();
    const auto search = make_strategy(
        space, {.kind = StrategyKind::kGreedy, .device = modelled_device(16, 1), .seed = seed});
    std::vector<double> best = {1e9, 1e9};
    for (int i = 0; i < 800; ++i) {
      const auto point = search->next();
      REQUIRE(point);
      const std::vector<double> parts = task_scores(*point);
      search->report(*point, std::max(parts[0], parts[1]),
                     report_parts ? parts : std::vector<double>());
      for (std::size_t j = 0; j < parts.size(); ++j) best[j] = std::min(best[j], parts[j]);
    }
    return best;
  };
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    const std::vector<double> reported_costs = best_of_parts(seed, true);
    const std::vector<double> unreported_costs = best_of_parts(seed, false);
    CHECK(reported_costs[0] < 1.2);
    CHECK(reported_costs[1] < 1.2);
    if (reported_costs[0] + reported_costs[1] < unreported_costs[0] + unreported_costs[1]) ++better;
  }
  CHECK(better >= 4);
}

TEST_CASE("the search finds the minimum in a space of 10^10 points, with any seed", "[long]") {
  CHECK(cpu_space().count().valid > 10'000'000'000);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    const double found = best_after(300, seed);
    CHECK(found < 0.7);
    CHECK(found < best_after(24, seed));
  }
}

}  // namespace
}  // namespace tilewright
