// Tests of which points the search strategies propose, without device and clock.
// (search_quality_test.cpp tests how good the points are.)
#include "tuner/search/search.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "catch.hpp"
#include "made_up_costs.hpp"
#include "modelled_device.hpp"
#include "tuner/journal/records/forms.hpp"

namespace tilewright {
namespace {

// The strategies that search.
constexpr StrategyKind kSearches[] = {StrategyKind::kExhaustive, StrategyKind::kGreedy};
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
  for (const StrategyKind kind : kSearches) {
    INFO("strategy " << static_cast<int>(kind));
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
  for (const StrategyKind kind : kSearches) {
    INFO("strategy " << static_cast<int>(kind));
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
  for (const StrategyKind kind : kSearches) {
    INFO("strategy " << static_cast<int>(kind));
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
  for (const StrategyKind kind : kSearches) {
    INFO("strategy " << static_cast<int>(kind));
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

TEST_CASE("points are proposed with the form of multiply-adds that is fastest on the device") {
  const Space space = tiny_space(Op::kNN);
  DeviceRates rates;
  for (const int width : {1, 2, 4}) {
    rates.multiply_adds.push_back({width, width == 2 ? "mad" : "fma", 10.0});
  }
  const auto plain = make_strategy(space, {.seed = 3, .first = {parse_point("multiply_add=mad")}});
  const auto typed =
      make_strategy(space, {.seed = 3, .first = {parse_point("multiply_add=mad")}, .rates = rates});
  std::set<MultiplyAdd> forms;
  while (const auto point = plain->next()) {
    const auto same = typed->next();
    REQUIRE(same);
    CHECK(as_searched(space, *same) == *point);
    CHECK(*same == with_multiply_add_form(*point, rates));
    forms.insert(std::get<GemmPoint>(*same).multiply_add);
    plain->report(*point, made_up_cost(*point));
    typed->report(*same, made_up_cost(*point));
  }
  CHECK_FALSE(typed->next());
  CHECK(forms.size() > 1);
}

TEST_CASE("first points come first, once, if the space contains them", "[long]") {
  const Space space = tiny_space(Op::kNN);
  const ParameterPoint one = parse_point("tile_m=2");
  const ParameterPoint two = gemm_point(Op::kNN);
  for (const StrategyKind kind : kSearches) {
    INFO("strategy " << static_cast<int>(kind));
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
  for (const StrategyKind kind : kSearches) {
    INFO("strategy " << static_cast<int>(kind));
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
  for (const StrategyKind kind : kSearches) {
    INFO("strategy " << static_cast<int>(kind));
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

TEST_CASE("a space that can be tried in 70 % of the time is searched wholly") {
  CHECK(choose_strategy(140, 0.5, 100.0) == StrategyKind::kExhaustive);
  CHECK(choose_strategy(141, 0.5, 100.0) == StrategyKind::kGreedy);
  CHECK(choose_strategy(1'000'000'000'000, 1e-3, 3600.0) == StrategyKind::kGreedy);
}

}  // namespace
}  // namespace tilewright
