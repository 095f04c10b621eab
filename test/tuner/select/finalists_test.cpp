// Tests which kernels take part in the finals, and which auxiliary kernels they require.
#include "tuner/select/finalists.hpp"

#include <fmt/format.h>

#include <cmath>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "journal_examples.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/search/pack_requirements.hpp"
#include "tuner/tuning/search_tasks.hpp"

namespace tilewright {
namespace {

Outcome outcome(const std::string& point, double small_ns, double large_ns,
                OutcomeClass result = OutcomeClass::kOk) {
  Outcome outcome;
  outcome.kernel = parse_kernel(point);
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

TEST_CASE("the cost is the mean of log(ns per flop), including packing") {
  const Outcome direct = outcome("op=TN tile_m=4", 1e4, 1e6);
  const double flops_small = 2.0 * 64 * 64 * 64;
  const double flops_large = 2.0 * 512 * 512 * 512;
  const double expected = (std::log(1e4 / flops_small) + std::log(1e6 / flops_large)) / 2;
  CHECK(*model({Op::kTN}, {direct}).cost(direct) == Approx(expected));
  // For NN its A must be packed, which adds the time of packing A.
  const double packed = *model({Op::kNN}, {direct}).cost(direct);
  CHECK(packed > expected);
  const CostModel costs = model({Op::kNN}, {direct});
  const double with_packs = (std::log(costs.total_ns(direct, Op::kNN, kSmall) / flops_small) +
                             std::log(costs.total_ns(direct, Op::kNN, kLarge) / flops_large)) /
                            2;
  CHECK(packed == Approx(with_packs));
  // A launch, and 512 x 512 floats read and written at 1000 GB/s.
  CHECK(costs.total_ns(direct, Op::kNN, kLarge) == Approx(1e6 + 1.0 + 2097.152));
  CHECK(costs.total_ns(direct, Op::kTN, kLarge) == 1e6);
}

TEST_CASE(
    "a shape without samples counts as slow as the one before, and without any there is no cost") {
  const Outcome part = outcome("tile_m=2", 1e4, 0.0);
  const Outcome whole = outcome("tile_m=4", 1e4, 1e4 * 512);
  const CostModel costs = model({Op::kNN}, {part, whole});
  CHECK(*costs.cost(part) == Approx(*costs.cost(whole)));
  CHECK(!costs.cost(outcome("tile_m=8", 0.0, 0.0)));
}

TEST_CASE("an unsupported shape counts as twice the best time") {
  const GemmShape narrow{64, 4, 64};
  CostModel costs({Op::kNN}, {narrow, kSmall}, fast_copies());
  Outcome general = outcome("tile_m=4 tile_n=4", 1e4, 0.0);
  general.shapes.push_back(general.shapes.front());
  general.shapes.front().shape = narrow;
  Outcome gemv = outcome("gemv narrow=n tile_narrow=4", 1e4, 0.0);
  gemv.shapes.front().shape = narrow;
  costs.learn(general);
  costs.learn(gemv);
  CHECK(*costs.cost(gemv) == Approx(*costs.cost(general) + std::log(2.0) / 2));
  CHECK(costs.supports_any(gemv.kernel));
  const CostModel wide({Op::kNN}, {kSmall, kLarge}, fast_copies());
  CHECK_FALSE(wide.supports_any(gemv.kernel));
  CHECK(wide.supports_any(general.kernel));
}

TEST_CASE("finalists are the best by cost, on each shape, and a general one, without duplicates") {
  std::vector<Outcome> outcomes;
  const int tiles[] = {1, 2, 3, 4, 6, 8, 12, 16};
  for (int i = 0; i < 8; ++i) {
    // Slower on the small shape with increasing i, and faster on the large one; slower overall.
    outcomes.push_back(
        outcome(fmt::format("tile_m={} tile_n=4 vector_width=4 access=aligned", tiles[i]),
                1e4 * (1 + i), 1e6 * (1.0 - 0.01 * i)));
  }
  outcomes.push_back(outcome("tile_m=1 tile_n=1", 9e5, 9e8));
  outcomes.push_back(outcome("tile_m=2 tile_n=1", 1.0, 1.0, OutcomeClass::kSlow));
  outcomes.push_back(outcome("op=NT tile_m=2 tile_n=1", 8e5, 8e8));
  const auto chosen = choose_finalists(outcomes, Op::kNN, model({Op::kNN}, outcomes));
  std::vector<KernelId> expected;
  // By cost and on the small shape, on the large one, general and for this op (the NT kernel is
  // not), then the second best of each, and so on; the last one is best at nothing.
  for (const std::size_t i : {0, 7, 8, 1, 6, 2, 5, 3, 4, 10})
    expected.push_back(outcomes[i].kernel);
  CHECK(chosen == expected);
}

TEST_CASE("kernels that need no second launch are not displaced by kernels that split k") {
  std::vector<Outcome> outcomes;
  // On the small shape, all of these are a little faster than `whole`, before their parts are added
  // up.
  for (const int tile_m : {1, 2, 3, 4, 6, 8, 12, 16}) {
    for (const int parts : {2, 4, 8, 16, 32}) {
      outcomes.push_back(outcome(fmt::format("tile_m={} split_k={}", tile_m, parts), 1e4, 1e6));
    }
  }
  const Outcome whole = outcome("tile_m=4 tile_n=4 vector_width=4 access=aligned", 1.1e4, 2e6);
  outcomes.push_back(whole);
  const auto promising = promising_outcomes(outcomes, 4);
  CHECK(std::any_of(promising.begin(), promising.end(),
                    [&](const Outcome* each) { return each->kernel == whole.kernel; }));
}

Outcome found(const ParameterPoint& requirement, double ns_per_element) {
  return example_pack(to_text(requirement), ns_per_element);
}

TEST_CASE("a kernel for another op has a plan if its pack kernels were found") {
  const KernelId tn = parse_kernel("op=TN tile_m=4");
  const auto requirements = required_packs({tn, parse_kernel("op=TN tile_m=8")}, Op::kNT, {kLarge});
  REQUIRE(requirements.size() == 2);  // A from R to C, B from C to R
  CHECK(required_packs({tn}, Op::kTN, {kLarge}).empty());
  std::vector<Outcome> packs;
  CHECK_FALSE(is_usable(tn, {Op::kNT}, {kLarge}, AuxiliaryCost(packs, fast_copies(), false)));
  for (const ParameterPoint& requirement : requirements) packs.push_back(found(requirement, 0.5));
  const AuxiliaryCost auxiliary(packs, fast_copies(), false);
  CHECK(is_usable(tn, {Op::kNT}, {kLarge}, auxiliary));
  // Two packs of 512 x 512, and their launches.
  CHECK(auxiliary.find(tn, Op::kNT, kLarge)->ns == Approx(2 * (0.5 * 512 * 512 + 1.0)));
  CHECK(auxiliary.find(tn, Op::kNT, kLarge)->packs == 2);
  CHECK(auxiliary.find(tn, Op::kTN, kLarge)->kernels() == 0);
  // B is packed only once, which costs nothing.
  CHECK(AuxiliaryCost(packs, fast_copies(), true).find(tn, Op::kNT, kLarge)->packs == 1);
}

TEST_CASE("a kernel that was chosen for one op may be used for the others") {
  const KernelId packed = parse_kernel("gemm layout_b=C1x16R tile_m=4 tile_n=16");
  const KernelId plain = parse_kernel("op=NN tile_m=4");
  std::vector<Outcome> packs;
  for (const Op op : {Op::kNN, Op::kNT}) {
    for (const ParameterPoint& requirement : required_packs({packed}, op, {kLarge})) {
      packs.push_back(found(requirement, 0.5));
    }
  }
  const AuxiliaryCost auxiliary(packs, fast_copies(), false);
  // There is no kernel that would transpose B for the plain one.
  CHECK_FALSE(is_usable(plain, {Op::kNT}, {kLarge}, auxiliary));
  CHECK(is_usable(packed, {Op::kNN}, {kLarge}, auxiliary));
  const std::map<Op, OpFinalists> by_op = {{Op::kNN, {{plain, packed}, {}}},
                                           {Op::kNT, {{packed, plain}, {packed, plain}}}};
  CHECK(join_finalists(by_op, 1, {kLarge}, auxiliary) == Finalists{{plain, packed}, {packed}});
  CHECK(join_finalists({{Op::kNN, {{plain}, {packed}}}}, 1, {kLarge}, auxiliary) ==
        Finalists{{plain, packed}, {packed}});
  CHECK(join_finalists({{Op::kNT, {{plain}, {}}}}, 1, {kLarge}, auxiliary) == Finalists{});
}

TEST_CASE("large operands have their own pack kernels") {
  constexpr GemmShape kTall{8000, 512, 512};  // A has 4,096,000 elements, B 262,144
  const KernelId tn = parse_kernel("op=TN tile_m=4");
  const auto requirements = required_packs({tn}, Op::kNT, {kLarge, kTall});
  REQUIRE(requirements.size() == 3);
  const ParameterPoint of_large = parse_point("pack from=R to=C large=yes");
  REQUIRE(requirements.count(of_large) == 1);
  std::vector<Outcome> packs;
  for (const ParameterPoint& requirement : requirements) {
    packs.push_back(found(requirement, requirement == of_large ? 0.25 : 0.5));
  }
  const double a_and_b = 0.25 * 8000 * 512 + 0.5 * 512 * 512 + 2.0;
  CHECK(AuxiliaryCost(packs, fast_copies(), false).find(tn, Op::kNT, kTall)->ns == Approx(a_and_b));
  // If none works for large matrices, the usual one is used.
  std::erase_if(packs, [&](const Outcome& pack) { return pack.kernel.point() == of_large; });
  CHECK(AuxiliaryCost(packs, fast_copies(), false).find(tn, Op::kNT, kTall)->packs == 2);
}

TEST_CASE("the predicted time of a pack kernel is that of the size on which it was measured") {
  const KernelId tn = parse_kernel("op=TN tile_m=4");
  Outcome pack = found(parse_point("pack from=R to=C"), 0.5);
  ShapeSamples& medium = pack.shapes.emplace_back();
  medium.shape = {2000, 2000, 1};
  medium.ns = {2.0 * 2000 * 2000};
  const AuxiliaryCost auxiliary({pack}, fast_copies(), false);
  CHECK(auxiliary.find(tn, Op::kNN, {1000, 1000, 1000})->ns == Approx(0.5 * 1e6 + 1.0));
  CHECK(auxiliary.find(tn, Op::kNN, {2000, 1000, 2000})->ns == Approx(2.0 * 4e6 + 1.0));
}

TEST_CASE("a kernel that splits k requires a reduction kernel") {
  const KernelId two = parse_kernel("tile_m=4 split_k=2");
  const KernelId whole = parse_kernel("tile_m=4");
  CHECK(required_packs({whole}, Op::kNN, {kLarge}).empty());
  CHECK(required_packs({two}, Op::kNN, {kLarge}) ==
        std::set<ParameterPoint>{parse_point("reduce")});
  const AuxiliaryCost none(std::vector<Outcome>(), fast_copies(), false);
  CHECK_FALSE(none.find(two, Op::kNN, kLarge));
  CHECK(none.find(whole, Op::kNN, kLarge));
  const AuxiliaryCost auxiliary({found(parse_point("reduce"), 0.5)}, fast_copies(), false);
  // Two parts are read, one is written, and there is a launch.
  CHECK(auxiliary.find(two, Op::kNN, kLarge)->ns == Approx(3 * 512 * 512 * 4 / 1000.0 + 1.0));
  CHECK(auxiliary.find(two, Op::kNN, kLarge)->reduces);
}

TEST_CASE(
    "screening shapes are the smallest, a middle, the largest short one, an odd and a long one") {
  using ShapeList = std::vector<GemmShape>;
  const auto cubes = [](std::initializer_list<std::int64_t> sizes) {
    ShapeList shapes;
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
  // Of many shapes, six that represent all, and the largest odd one.
  ShapeList many = cubes({64, 128, 256, 512, 1024, 32, 100});
  const ShapeList others = {{32, 32, 8192}, {8192, 32, 32}, {32, 8192, 32}, {511, 513, 515}};
  many.insert(many.end(), others.begin(), others.end());
  const ShapeList screening = screening_shapes(many, 6e9);
  CHECK(screening.size() == 7);
  CHECK(std::count(screening.begin(), screening.end(), GemmShape{511, 513, 515}) == 1);
}

TEST_CASE("the deepest of the small and deep shapes of a design is a screening shape") {
  // The shapes with seed 11 for an H100; 27x44x881 is small and deep, too.
  const std::vector<GemmShape> design = {
      {4096, 4096, 4096}, {1024, 1024, 1024}, {2559, 1535, 2047}, {40, 1166, 130},  {1, 1536, 3584},
      {1468, 252, 293},   {32, 80, 2432},     {27, 44, 881},      {2496, 1792, 80}, {916, 1, 1529},
      {336, 48, 128},     {123, 1941, 2654},  {48, 320, 224},     {70, 77, 2259},   {8, 2432, 1984},
      {357, 390, 163},    {128, 64, 3456},    {48, 2598, 283},    {1664, 64, 496},  {2819, 6, 122},
      {64, 32, 3648},     {379, 3232, 211},   {144, 512, 16},     {51, 84, 367}};
  const auto screening = screening_shapes(design, 2e11);
  const auto contains = [&](const GemmShape& shape) {
    return std::count(screening.begin(), screening.end(), shape) == 1;
  };
  CHECK(screening.size() == 7);
  CHECK(contains({64, 32, 3648}));
  CHECK(contains({4096, 4096, 4096}));  // the first
  CHECK(contains({2559, 1535, 2047}));  // the largest odd one
  // A shape with too many flops is not a screening shape.
  const auto short_ones = screening_shapes(design, 1e7);
  CHECK(std::count(short_ones.begin(), short_ones.end(), GemmShape{64, 32, 3648}) == 0);
}

}  // namespace
}  // namespace tilewright
