// Tests of the search strategies with artificial costs, without device and clock.
#include "tuner/search/search.hpp"

#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "catch.hpp"
#include "modelled_device.hpp"

namespace tilewright {
namespace {

constexpr SpaceLimits kCpu{
    {4096, {4096, 4096}, 1 << 20, false, false}, 16, 512, std::numeric_limits<std::int64_t>::max()};

constexpr int kShardOfFirstPoint = 192;  // from 1 to 1000

// A small space that tests can enumerate. Values that no valid point has are excluded, because
// random draws would try them again and again.
Space tiny_space(Op op) {
  return {gemm_point(op),
          {{4, {4, 4}, 0, false, false}, 16, 12, 0},
          {false,
           {"unroll_k", "multiply_add", "id_order", "assignment", "lanes_m", "lanes_n",
            "group_order", "split_k", "work_group_k", "cache_block_k", "local_a", "local_b",
            "prefetch", "access", "addressing", "exp", "math", "group_size", "stream_k"},
           {{"tile_m", {"1", "2", "3", "4"}},
            {"tile_n", {"1", "2", "3", "4"}},
            {"tile_k", {"1", "2", "4"}},
            {"vector_width", {"1", "2", "4"}},
            {"work_group_m", {"1", "2", "4"}},
            {"work_group_n", {"1", "2", "4"}}}}};
}

Space cpu_space() {
  return {gemm_point(Op::kNN), kCpu};
}

// A cost with one minimum, far from which points are slow. It also depends on parameters that the
// model does not consider.
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

double best_after(int proposals, std::uint64_t seed, StrategyKind kind = StrategyKind::kGreedy) {
  const Space space = cpu_space();
  const auto search =
      make_strategy(space, {.kind = kind, .device = modelled_device(16, 1), .seed = seed});
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

// Returns all proposals of a strategy. Every third one fails.
std::set<ParameterPoint> collect_proposals(SearchStrategy& search) {
  std::set<ParameterPoint> seen;
  while (const auto point = search.next()) {
    REQUIRE(seen.insert(*point).second);
    search.report(*point,
                  seen.size() % 3 == 0 ? std::nullopt : std::optional(made_up_cost(*point)));
  }
  return seen;
}

TEST_CASE("a search never repeats itself and ends when all points are proposed", "[long]") {
  const Space space = tiny_space(Op::kNN);
  for (const StrategyKind kind : kStrategyKinds) {
    INFO(to_text(kind));
    const auto search =
        make_strategy(space, {.kind = kind, .device = modelled_device(4, 1), .seed = 3});
    const std::set<ParameterPoint> seen = collect_proposals(*search);
    CHECK(seen.size() > 100);
    CHECK(static_cast<std::int64_t>(seen.size()) == space.count().valid);
    for (const ParameterPoint& point : seen) REQUIRE(space.contains(point));
  }
}

TEST_CASE("a search also ends if every point fails, and if reports come late", "[long]") {
  const Space space = tiny_space(Op::kNN);
  for (const StrategyKind kind : kStrategyKinds) {
    INFO(to_text(kind));
    const auto failing = make_strategy(space, {.kind = kind, .seed = 5});
    std::int64_t proposed = 0;
    for (; const auto point = failing->next(); ++proposed) failing->report(*point, std::nullopt);
    CHECK(proposed == space.count().valid);
    const auto late = make_strategy(space, {.kind = kind, .seed = 5});
    std::vector<ParameterPoint> in_flight;
    for (proposed = 0; const auto point = late->next(); ++proposed) {
      in_flight.push_back(*point);
      if (in_flight.size() < 3) continue;
      late->report(in_flight.front(), made_up_cost(in_flight.front()));
      in_flight.erase(in_flight.begin());
    }
    CHECK(proposed == space.count().valid);
  }
}

TEST_CASE("points that were reported before the search are not proposed again", "[long]") {
  const Space space = tiny_space(Op::kNN);
  for (const StrategyKind kind : kStrategyKinds) {
    INFO(to_text(kind));
    std::set<ParameterPoint> known;
    const auto before = make_strategy(space, {.kind = kind, .seed = 7});
    for (int i = 0; i < 60; ++i) known.insert(*before->next());
    const auto search = make_strategy(space, {.kind = kind, .seed = 7});
    for (const ParameterPoint& point : known) search->report(point, made_up_cost(point));
    const std::set<ParameterPoint> seen = collect_proposals(*search);
    CHECK(static_cast<std::int64_t>(seen.size() + known.size()) == space.count().valid);
    for (const ParameterPoint& point : known) REQUIRE(seen.count(point) == 0);
  }
}

TEST_CASE("reports of points outside the space have no effect", "[long]") {
  const Space space = tiny_space(Op::kNN);
  for (const StrategyKind kind : kStrategyKinds) {
    INFO(to_text(kind));
    const SearchSetup setup{.kind = kind, .device = modelled_device(4, 1), .seed = 9};
    const auto calm = make_strategy(space, setup);
    const auto disturbed = make_strategy(space, setup);
    for (int i = 0; i < 80; ++i) {
      disturbed->report(gemm_point(Op::kNT), -100.0 - i);
      disturbed->report(GemvPoint{}, -100.0);
      disturbed->report(parse_point("unroll_k=4"), -200.0);  // the space has only 1
      const auto point = calm->next();
      REQUIRE(point);
      REQUIRE(point == disturbed->next());
      calm->report(*point, made_up_cost(*point));
      disturbed->report(*point, made_up_cost(*point));
    }
  }
}

TEST_CASE("neighbours that the model expects to be much worse than the best are left to draws") {
  const Space space = tiny_space(Op::kNN);
  const DeviceInfo device = modelled_device(4, 1);
  std::multimap<double, ParameterPoint> by_score;
  space.for_each([&](const ParameterPoint& point) {
    by_score.emplace(expected_score(point, device), point);
    return true;
  });
  const auto search = make_strategy(space, {.device = device, .seed = 3});
  double least = 0.0;  // among the best eight
  auto best = std::next(by_score.rbegin(), static_cast<std::ptrdiff_t>(by_score.size() / 20));
  for (int i = 0; i < 8; ++i, ++best) {
    least = best->first;
    search->report(best->second, -100.0 + i);
  }
  int hopeless = 0;
  for (int i = 0; i < 64; ++i) {
    const auto point = search->next();
    REQUIRE(point);
    if (expected_score(*point, device) < 0.7 * least) ++hopeless;
    search->report(*point, made_up_cost(*point));
  }
  CHECK(hopeless <= 8);  // at most the number of draws
}

TEST_CASE("a point counts as known whichever multiply-add it was tried with") {
  const Space space = tiny_space(Op::kNN);
  const ParameterPoint point = gemm_point(Op::kNN);
  CHECK(as_searched(space, parse_point("multiply_add=mad")) == point);
  CHECK_FALSE(as_searched(space, parse_point("multiply_add=mad unroll_k=4")));
  const auto search = make_strategy(space, {.seed = 3});
  search->report(parse_point("multiply_add=mad"), 1.0);
  for (const ParameterPoint& other : collect_proposals(*search)) REQUIRE_FALSE(other == point);
}

TEST_CASE("first points come first, once, if the space contains them", "[long]") {
  const Space space = tiny_space(Op::kNN);
  const ParameterPoint one = parse_point("tile_m=2");
  const ParameterPoint two = gemm_point(Op::kNN);
  for (const StrategyKind kind : kStrategyKinds) {
    INFO(to_text(kind));
    SearchSetup setup;
    setup.kind = kind;
    setup.seed = 3;
    setup.first = {one, gemm_point(Op::kTN), parse_point("tile_m=2 multiply_add=mad"),
                   parse_point("tile_m=16 tile_n=64"), two};
    const auto search = make_strategy(space, setup);
    CHECK(search->next() == one);
    CHECK(search->next() == two);
    CHECK(collect_proposals(*search).size() + 2 == static_cast<std::size_t>(space.count().valid));
  }
}

TEST_CASE("each point belongs to one shard, but first points belong to all", "[long]") {
  const Space space = tiny_space(Op::kNN);
  constexpr int kShards = 3;
  for (const StrategyKind kind : kStrategyKinds) {
    INFO(to_text(kind));
    std::set<ParameterPoint> all;
    for (int shard = 1; shard <= kShards; ++shard) {
      SearchSetup setup;
      setup.kind = kind;
      setup.seed = 3;
      setup.first = {gemm_point(Op::kNN)};
      setup.shard = shard;
      setup.shards = kShards;
      const auto search = make_strategy(space, setup);
      const std::set<ParameterPoint> part = collect_proposals(*search);
      CHECK(static_cast<std::int64_t>(part.size()) > space.count().valid / 5);
      const ParameterPoint first = gemm_point(Op::kNN);
      CHECK(part.count(first) == 1);
      for (const ParameterPoint& point : part) {
        if (point == first) continue;
        REQUIRE(point_shard(point, kShards) == shard);
        REQUIRE(all.insert(point).second);
      }
    }
    CHECK(static_cast<std::int64_t>(all.size()) + 1 == space.count().valid);
  }
  // The same on every machine, because journals of different boards are merged.
  CHECK(point_shard(gemm_point(Op::kNN), 1000) == kShardOfFirstPoint);
  CHECK(point_shard(gemm_point(Op::kNN), 1) == 1);
}

TEST_CASE("an exhaustive search of a large space lists only a part of it", "[long]") {
  const Space space = cpu_space();
  const auto search = make_strategy(space, {.kind = StrategyKind::kExhaustive, .seed = 3});
  std::set<ParameterPoint> seen;
  for (int i = 0; i < 70'000; ++i) REQUIRE(seen.insert(*search->next()).second);
}

TEST_CASE("a seed determines the search", "[long]") {
  const Space space = tiny_space(Op::kTN);
  for (const StrategyKind kind : kStrategyKinds) {
    INFO(to_text(kind));
    const auto one = make_strategy(space, {.kind = kind, .seed = 42});
    const auto two = make_strategy(space, {.kind = kind, .seed = 42});
    const auto other = make_strategy(space, {.kind = kind, .seed = 43});
    bool differs = false;
    for (int i = 0; i < 40; ++i) {
      const auto point = one->next();
      CHECK(point == two->next());
      const auto different = other->next();
      differs = differs || !(point == different);
      one->report(*point, made_up_cost(*point));
      two->report(*point, made_up_cost(*point));
      other->report(*different, made_up_cost(*different));
    }
    CHECK(differs);
  }
}

TEST_CASE("with the strategy known, only the first points are tried") {
  const Space space = tiny_space(Op::kNN);
  std::mt19937_64 random(1);
  const std::vector<ParameterPoint> first = {*space.draw(random), *space.draw(random)};
  const auto known = make_strategy(space, {.kind = StrategyKind::kKnown, .first = first});
  for (const ParameterPoint& point : first) {
    CHECK(known->next() == point);
    known->report(point, 1.0);
  }
  CHECK_FALSE(known->next());
}

TEST_CASE("strategies have names, and the default depends on their duration") {
  for (const StrategyKind kind : kStrategyKinds) CHECK(parse_strategy(to_text(kind)) == kind);
  CHECK(to_text(StrategyKind::kIterated) == "iterated");
  CHECK(parse_strategy("known") == StrategyKind::kKnown);
  CHECK_FALSE(parse_strategy("annealing"));
  CHECK(choose_strategy(140, 0.5, 100.0) == StrategyKind::kExhaustive);
  CHECK(choose_strategy(141, 0.5, 100.0) == StrategyKind::kGreedy);
  CHECK(choose_strategy(1'000'000'000'000, 1e-3, 3600.0) == StrategyKind::kGreedy);
}

TEST_CASE("both local searches beat random draws", "[long]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    INFO("seed " << seed);
    const double random = best_after(300, seed, StrategyKind::kRandom);
    CHECK(best_after(300, seed, StrategyKind::kGreedy) < 0.5 * random);
    CHECK(best_after(300, seed, StrategyKind::kIterated) < 0.5 * random);
  }
}

// Two local minima: the wide one is not the lowest.
TEST_CASE("an iterated search leaves a local minimum that is not the lowest", "[long]") {
  const Space space = cpu_space();
  const auto cost = [](const ParameterPoint& point) {
    const auto& p = std::get<GemmPoint>(point);
    const bool deep = p.work_group_m >= 8 && p.split_k >= 4;
    return made_up_cost(point) - (deep ? 6.0 : 0.0);
  };
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    INFO("seed " << seed);
    const auto search = make_strategy(
        space, {.kind = StrategyKind::kIterated, .device = modelled_device(16, 1), .seed = seed});
    double best = 1e9;
    for (int i = 0; i < 1500; ++i) {
      const auto point = search->next();
      REQUIRE(point);
      search->report(*point, cost(*point));
      best = std::min(best, cost(*point));
    }
    CHECK(best < -2.0);
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
