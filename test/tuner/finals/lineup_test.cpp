// Who gets into the finals, and which packs race with them?
#include "tuner/finals/lineup.hpp"

#include <fmt/format.h>

#include <cmath>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "tuner/finals/race.hpp"
#include "tuner/records/tuning_json.hpp"
#include "tuner/search/search_tasks.hpp"
#include "tuner/search/ways.hpp"

namespace tilewright {
namespace {

constexpr GemmShape kSmall{64, 64, 64};
constexpr GemmShape kLarge{512, 512, 512};

Outcome outcome(const std::string& point, double small_ns, double large_ns,
                OutcomeClass result = OutcomeClass::kOk) {
  Outcome outcome;
  outcome.point = to_text(parse_point(point));
  outcome.result = result;
  for (const auto& [shape, ns] : {std::pair(kSmall, small_ns), std::pair(kLarge, large_ns)}) {
    if (ns <= 0.0) continue;
    ShapeSamples samples;
    samples.shape = shape;
    samples.ns = {ns, ns, ns};
    outcome.shapes.push_back(samples);
  }
  return outcome;
}

// A device on which packing 512 x 512 floats costs about 3 us.
DeviceRates fast_copies() {
  DeviceRates rates;
  rates.copy_gbytes_per_s = 1000.0;
  rates.launch_ns = 1.0;
  return rates;
}

CostModel model(std::vector<Op> ops, const std::vector<Outcome>& outcomes) {
  CostModel costs(std::move(ops), {kSmall, kLarge}, fast_copies());
  for (const Outcome& one : outcomes) costs.learn(one);
  return costs;
}

TEST_CASE("the cost is the mean of log(ns per flop), packing included") {
  const Outcome direct = outcome("op=TN tile_m=4", 1e4, 1e6);
  const double flops_small = 2.0 * 64 * 64 * 64;
  const double flops_large = 2.0 * 512 * 512 * 512;
  const double expected = (std::log(1e4 / flops_small) + std::log(1e6 / flops_large)) / 2;
  CHECK(*model({Op::kTN}, {direct}).cost(direct) == Approx(expected));
  // For NN its A must be packed: more, by the time of packing A.
  const double packed = *model({Op::kNN}, {direct}).cost(direct);
  CHECK(packed > expected);
  const CostModel costs = model({Op::kNN}, {direct});
  const KernelRecord record = emit(parse_point(direct.point));
  const double with_packs =
      (std::log((1e4 + costs.beside_ns(record, Op::kNN, kSmall)) / flops_small) +
       std::log((1e6 + costs.beside_ns(record, Op::kNN, kLarge)) / flops_large)) /
      2;
  CHECK(packed == Approx(with_packs));
  CHECK(costs.beside_ns(record, Op::kTN, kLarge) == 0.0);
}

TEST_CASE(
    "a shape that was not measured counts as far behind as the one before; none at all is no cost") {
  const Outcome part = outcome("tile_m=2", 1e4, 0.0);
  const Outcome whole = outcome("tile_m=4", 1e4, 1e4 * 512);
  const CostModel costs = model({Op::kNN}, {part, whole});
  CHECK(*costs.cost(part) == Approx(*costs.cost(whole)));
  CHECK(!costs.cost(outcome("tile_m=8", 0.0, 0.0)));
}

TEST_CASE("what cannot take a shape counts there as twice the best") {
  CostModel costs({Op::kNN}, {{64, 64, 64}, {63, 63, 63}}, fast_copies());
  Outcome general = outcome("tile_m=4 tile_n=4 vector_width=4", 1e4, 0.0);
  general.shapes.push_back(general.shapes.front());
  general.shapes.back().shape = {63, 63, 63};
  const Outcome aligned = outcome("tile_m=4 tile_n=4 vector_width=4 access=aligned", 1e4, 0.0);
  costs.learn(general);
  costs.learn(aligned);
  CHECK(*costs.cost(aligned) == Approx(*costs.cost(general) + std::log(2.0) / 2));
}

TEST_CASE("finalists are the best by cost, the best on each shape, and a general one, once each") {
  std::vector<Outcome> outcomes;
  const int tiles[] = {1, 2, 3, 4, 6, 8, 12, 16};
  for (int i = 0; i < 8; ++i) {
    // Slower on the small shape with i, faster on the large one; overall slower.
    outcomes.push_back(
        outcome(fmt::format("tile_m={} tile_n=4 vector_width=4 access=aligned", tiles[i]),
                1e4 * (1 + i), 1e6 * (1.0 - 0.01 * i)));
  }
  outcomes.push_back(outcome("tile_m=1 tile_n=1", 9e5, 9e8));
  outcomes.push_back(outcome("tile_m=2 tile_n=1", 1.0, 1.0, OutcomeClass::kSlow));
  outcomes.push_back(outcome("op=NT tile_m=2 tile_n=1", 8e5, 8e8));
  const auto chosen = choose_finalists(outcomes, Op::kNN, model({Op::kNN}, outcomes));
  std::vector<std::string> expected;
  // By cost and on the small shape, on the large one, general and of this op (the NT one is not);
  // then the second best of each, and so on; last who is best at nothing.
  for (const std::size_t i : {0, 7, 8, 1, 6, 2, 5, 3, 4, 10}) expected.push_back(outcomes[i].point);
  CHECK(chosen == expected);
}

TEST_CASE(
    "a kernel of another op races with its packs, and one pack serves all who want the same") {
  const std::string tn = to_text(parse_point("op=TN tile_m=4"));
  const std::string other = to_text(parse_point("op=TN tile_m=8"));
  const auto demands = demands_of({tn, other}, Op::kNT, {kLarge});
  REQUIRE(demands.size() == 2);  // A from R to C, B from C to R
  CHECK(demands_of({tn}, Op::kTN, {kLarge}).empty());
  Auxiliaries packs;
  LineupBuilder none(packs);
  CHECK(!none.add(tn, Op::kNT, {kLarge}));
  for (const ParameterPoint& demand : demands) packs[demand] = to_text(demand);
  LineupBuilder builder(packs);
  const auto nt = builder.add(tn, Op::kNT, {kLarge});
  REQUIRE(nt);
  builder.add(other, Op::kNT, {kLarge});
  builder.add(tn, Op::kTN, {kLarge});
  CHECK(builder.add(tn, Op::kNT, {kLarge}) == nt);
  const Lineup lineup = builder.take();
  CHECK(lineup.ways.size() == 3);
  CHECK(lineup.finalists.size() == 4);  // two products, a pack of A and one of B
  CHECK(finalists_of(lineup.ways[0], lineup, kLarge).size() == 3);
  CHECK(finalists_of(lineup.ways[2], lineup, kLarge).size() == 1);
}

TEST_CASE("large operands have packs of their own") {
  constexpr GemmShape kTall{8000, 512, 512};  // A has 4,096,000 elements, B 262,144
  const std::string tn = to_text(parse_point("op=TN tile_m=4"));
  const auto demands = demands_of({tn}, Op::kNT, {kLarge, kTall});
  REQUIRE(demands.size() == 3);
  CHECK(demands.count(parse_point("pack from=R to=C large=yes")) == 1);
  Auxiliaries packs;
  for (const ParameterPoint& demand : demands) packs[demand] = to_text(demand);
  LineupBuilder builder(packs);
  builder.add(tn, Op::kNT, {kLarge, kTall});
  const Lineup lineup = builder.take();
  REQUIRE(lineup.ways.size() == 1);
  const Way& way = lineup.ways[0];
  REQUIRE(way.large_pack_a);
  CHECK_FALSE(way.large_pack_b);
  using Finalists = std::vector<std::size_t>;
  CHECK(finalists_of(way, lineup, kLarge) == Finalists{way.product, *way.pack_a, *way.pack_b});
  CHECK(finalists_of(way, lineup, kTall) == Finalists{way.product, *way.large_pack_a, *way.pack_b});
  CHECK(nlohmann::json(lineup).get<Lineup>() == lineup);
  // Where none works for large ones, the usual one serves.
  packs.erase(parse_point("pack from=R to=C large=yes"));
  LineupBuilder without(packs);
  REQUIRE(without.add(tn, Op::kNT, {kTall}));
  const Lineup usual = without.take();
  CHECK(finalists_of(usual.ways[0], usual, kTall).size() == 3);
}

TEST_CASE("a kernel that splits k races with what adds its parts up") {
  const std::string two = to_text(parse_point("tile_m=4 split_k=2"));
  const std::string four = to_text(parse_point("tile_m=4 split_k=4"));
  const std::string whole = to_text(parse_point("tile_m=4"));
  CHECK(demands_of({whole}, Op::kNN, {kLarge}).empty());
  CHECK(demands_of({two, four}, Op::kNN, {kLarge}) ==
        std::set<ParameterPoint>{parse_point("reduce")});
  Auxiliaries auxiliaries;
  LineupBuilder none(auxiliaries);
  CHECK(!none.add(two, Op::kNN, {kLarge}));
  CHECK(none.add(whole, Op::kNN, {kLarge}));
  auxiliaries[parse_point("reduce")] = "reduce vector_width=4";
  LineupBuilder builder(auxiliaries);
  builder.add(whole, Op::kNN, {kLarge});
  const auto of_two = builder.add(two, Op::kNN, {kLarge});
  builder.add(four, Op::kNN, {kLarge});
  builder.set_reference(whole);
  REQUIRE(of_two);
  const Lineup lineup = builder.take();
  // Parts of two kernels are not as many: each has its own adding up.
  REQUIRE(lineup.finalists.size() == 5);
  const Way& way = lineup.ways[*of_two];
  REQUIRE(way.reduce);
  CHECK(lineup.finalists[*way.reduce] ==
        Finalist{"reduce vector_width=4", Finalist::Job::kReduce, two});
  CHECK(finalists_of(way, lineup, kLarge) == std::vector<std::size_t>{way.product, *way.reduce});
  // What it takes counts: 60 + 50 is not better than 100, but near enough to go on.
  Sweep sweep;
  sweep.shape = kLarge;
  sweep.reference_before_ns = sweep.reference_after_ns = 100.0;
  sweep.ns = {{0, 100.0}, {way.product, 60.0}, {*way.reduce, 50.0}, {3, 60.0}, {4, 90.0}};
  const std::vector<std::size_t> left = Race(lineup, kLarge).after({sweep, sweep, sweep}, {}).runs;
  CHECK(left == std::vector<std::size_t>{0, way.product, *way.reduce});
}

TEST_CASE(
    "screening shapes are the least, a middle, the largest short one, an odd and a long one") {
  using Shapes = std::vector<GemmShape>;
  const auto cubes = [](std::initializer_list<std::int64_t> sizes) {
    Shapes shapes;
    for (const auto size : sizes) shapes.push_back({size, size, size});
    return shapes;
  };
  CHECK(screening_shapes(cubes({2880, 96, 1440, 192, 768, 384}), 6e9) ==
        cubes({96, 384, 1440, 2880}));
  CHECK(screening_shapes(cubes({2000, 96, 1440, 192, 768, 384}), 6e9) == cubes({96, 384, 1440}));
  CHECK(screening_shapes(cubes({64, 32}), 6e9) == cubes({32, 64}));
  CHECK(screening_shapes(cubes({4096}), 6e9) == cubes({4096}));
  CHECK(screening_shapes(cubes({2880, 96, 1440, 101, 192, 1001, 768}), 6e9) ==
        cubes({96, 768, 1001, 1440, 2880}));
  CHECK(screening_shapes(cubes({97, 96, 192, 768}), 6e9) == cubes({96, 97, 192, 768}));
}

}  // namespace
}  // namespace tilewright
