#include "codelets/space/space_count.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "catch.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
constexpr SpaceLimits kLimits{{256, {256, 256}, 32768, true, true}, 16, 128, kNoLimit};
constexpr SpaceLimits kSmall{{8, {8, 8}, 1024, true, false}, 16, 24, kNoLimit};

bool is_among(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Parameters that the demand does not determine and that are drawn.
std::vector<const Field*> searched_fields(Codelet codelet) {
  std::vector<const Field*> searched;
  for (const Field& field : fields(codelet)) {
    if (!field.required && !field.late) searched.push_back(&field);
  }
  return searched;
}

// All searched parameters except a few random ones. If these are fixed, the space is small enough
// to enumerate. The layouts of operands stay those of the demand, because this test has its own
// definition of a product.
std::vector<std::string> all_but_a_few(Codelet codelet, std::mt19937_64& random) {
  std::vector<std::string> names;
  for (const Field* field : searched_fields(codelet)) names.emplace_back(field->name);
  for (int i = 0; i < 5 && !names.empty(); ++i) {
    const std::size_t at = random() % names.size();
    if (codelet == Codelet::kGemm && names[at].starts_with("layout_")) continue;
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return names;
}

// Counts a space by enumerating its product.
SpaceCount brute_count(const Space& space, ParameterPoint point,
                       const std::vector<std::string>& fixed, const SpaceLimits& limits) {
  const std::vector<Rule>& rules = tilewright::rules(point_codelet(point));
  const std::vector<std::string> order = space.counting_order();
  const auto decided_at = [&](const Rule& rule) {
    std::size_t level = order.size();
    while (level > 0 &&
           std::find(rule.reads.begin(), rule.reads.end(), order[level - 1]) == rule.reads.end()) {
      --level;
    }
    return level;
  };
  SpaceCount count{0, 0, std::vector<std::int64_t>(rules.size(), 0)};
  std::vector<const Field*> free;
  for (const Field* field : searched_fields(point_codelet(point))) {
    if (!is_among(fixed, field->name)) free.push_back(field);
  }
  const std::function<void(std::size_t)> walk = [&](std::size_t at) {
    if (at < free.size()) {
      for (std::size_t value = 0; value < free[at]->values.size(); ++value) {
        free[at]->set(point, value);
        walk(at + 1);
      }
      return;
    }
    ++count.product;
    std::size_t first = rules.size();
    for (std::size_t r = 0; r < rules.size(); ++r) {
      if (rules[r].holds(point, limits)) continue;
      if (first == rules.size() || decided_at(rules[r]) < decided_at(rules[first])) first = r;
    }
    ++(first == rules.size() ? count.valid : count.excluded[first]);
  };
  walk(0);
  return count;
}

void check_against_brute_force(const ParameterPoint& requirement, std::mt19937_64& random) {
  const SpaceLimits& limits = random() % 2 == 0 ? kLimits : kSmall;
  const std::optional<ParameterPoint> base = Space(requirement, limits, {true, {}}).draw(random);
  INFO(to_text(requirement) << (&limits == &kSmall ? " small" : ""));
  REQUIRE(base);
  const std::vector<std::string> fixed = all_but_a_few(point_codelet(requirement), random);
  const Space space(*base, limits, {true, fixed});
  const SpaceCount count = space.count();
  const SpaceCount brute = brute_count(space, *base, fixed, limits);
  INFO(to_text(*base));
  CHECK(count.product == brute.product);
  CHECK(count.valid == brute.valid);
  CHECK(count.excluded == brute.excluded);
  CHECK(count.product ==
        std::accumulate(count.excluded.begin(), count.excluded.end(), count.valid));
  std::int64_t visited = 0;
  space.for_each([&](const ParameterPoint&) { return ++visited > 0; });
  CHECK(visited == count.valid);
}

TEST_CASE("counting is exact: it agrees with enumerating sub-spaces", "[long]") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    check_against_brute_force(gemm_point(i % 2 == 0 ? Op::kNT : Op::kTN), random);
  }
  for (const Codelet codelet : kCodelets) {
    for (int i = 0; i < 20; ++i) {
      check_against_brute_force(first_point(codelet), random);
    }
  }
}

TEST_CASE("the whole space is counted, packed or not", "[long]") {
  const Space plain(gemm_point(Op::kNN), kSmall);
  const Space packed(gemm_point(Op::kNN), kSmall, {true, {}});
  const SpaceCount few = plain.count();
  const SpaceCount many = packed.count();
  CHECK(few.valid > 1'000'000);
  CHECK(many.valid > few.valid);
  CHECK(many.product > 1'000'000'000'000);
  CHECK(many.product == std::accumulate(many.excluded.begin(), many.excluded.end(), many.valid));
}

// Far more states than a slice holds, but few enough points to enumerate.
TEST_CASE("a count in slices agrees with enumeration, and its progress grows to 1") {
  const Space space(gemm_point(Op::kNN), kLimits,
                    {false,
                     {"inner", "multiply_add", "id_order", "assignment", "lanes_m", "lanes_n",
                      "group_order", "split_k", "prefetch", "access", "addressing"}});
  std::vector<double> shares;
  const SpaceCount count = count_points(space, [&](double share) { shares.push_back(share); });
  std::int64_t listed = 0;
  space.for_each([&](const ParameterPoint&) { return ++listed > 0; });
  CHECK(count.valid == listed);
  CHECK(count.product ==
        std::accumulate(count.excluded.begin(), count.excluded.end(), count.valid));
  CHECK(count.excluded == space.count().excluded);
  CHECK(shares.size() > 2);
  CHECK(std::is_sorted(shares.begin(), shares.end()));
  CHECK(shares.back() == Approx(1.0));
}

TEST_CASE("a demand that violates a rule by itself has an empty space") {
  GemmPoint impossible = gemm_point(Op::kNN);
  impossible.inner = Inner::kDot;
  const Space space(impossible, kLimits, {false, {"inner", "vector_width"}});
  const SpaceCount count = space.count();
  CHECK(count.valid == 0);
  const auto rule =
      std::find_if(rules(Codelet::kGemm).begin(), rules(Codelet::kGemm).end(),
                   [](const Rule& each) { return each.name == "inner_product_is_vector"; });
  CHECK(count.excluded[static_cast<std::size_t>(rule - rules(Codelet::kGemm).begin())] ==
        count.product);
  std::mt19937_64 random(1);
  CHECK_FALSE(space.draw(random));
  space.for_each([](const ParameterPoint&) -> bool { throw std::logic_error("visited"); });
}

TEST_CASE("parameters that the caller decides are not searched", "[long]") {
  GemmPoint requirement = gemm_point(Op::kTN);
  requirement.bias = Dimension::kN;
  requirement.activation = Activation::kRelu;
  const Space plain(requirement, kLimits);
  const Space packed(requirement, kLimits, {true, {}});
  std::mt19937_64 random(3);
  std::set<Layout> layouts;
  bool image = false;
  bool padded = false;
  for (int i = 0; i < 2000; ++i) {
    const auto p = std::get<GemmPoint>(*plain.draw(random));
    REQUIRE((p.layout_a == Layout::C() && p.layout_b == Layout::R()));
    REQUIRE((!p.image_a && !p.image_b && p.edges == Edges::kGuarded));
    REQUIRE((p.bias == Dimension::kN && p.activation == Activation::kRelu));
    const auto q = std::get<GemmPoint>(*packed.draw(random));
    REQUIRE(q.layout_a != Layout::R());  // the other plain layout
    layouts.insert(q.layout_a);
    image = image || q.image_b;
    padded = padded || q.edges == Edges::kPadded;
  }
  CHECK(layouts.size() > 5);
  CHECK(image);
  CHECK(padded);
  CHECK_THROWS_AS(Space(requirement, kLimits, {false, {"colour"}}), std::invalid_argument);
}

TEST_CASE("points are enumerated in order, until the visitor returns false", "[long]") {
  // If the driver chooses work-groups, few of very many points remain.
  const Space whole(gemm_point(Op::kNT), kSmall);
  const Space drivers(gemm_point(Op::kNT), kSmall, {false, {}, {{"group_size", {"driver"}}}});
  const std::vector<Field>& table = fields(Codelet::kGemm);
  for (const Space* space : {&whole, &drivers}) {
    std::vector<const Field*> order;
    for (const std::string& name : space->counting_order()) {
      order.push_back(&*std::find_if(table.begin(), table.end(),
                                     [&](const Field& field) { return field.name == name; }));
    }
    std::vector<std::size_t> last;
    int visited = 0;
    space->for_each([&](const ParameterPoint& point) {
      std::vector<std::size_t> places;
      for (const Field* field : order) places.push_back(*field->index(point));
      REQUIRE(last < places);
      last = std::move(places);
      return ++visited < 5000;
    });
    CHECK(visited == 5000);
  }
}

TEST_CASE("draws are valid, depend only on the seed, and cover the space widely", "[long]") {
  const Space space(gemm_point(Op::kNT), kLimits, {true, {}});
  std::mt19937_64 one(42);
  std::mt19937_64 two(42);
  std::set<ParameterPoint> points;
  for (int i = 0; i < 1000; ++i) {
    const auto point = space.draw(one);
    REQUIRE(point);
    REQUIRE(point == space.draw(two));
    for (const Rule& rule : rules(Codelet::kGemm)) REQUIRE(rule.holds(*point, kLimits));
    points.insert(*point);
  }
  CHECK(points.size() > 990);
}

TEST_CASE("in a small space every valid point is drawn eventually", "[long][full]") {
  const Space space(
      gemm_point(Op::kNN), {{4, {4, 4}, 0, false, false}, 16, 12, 0},
      {false,
       {"multiply_add", "group_order", "split_k", "work_group_k", "access", "addressing",
        "cache_block_k", "prefetch", "lanes_m", "lanes_n", "unroll_k", "assignment", "id_order"}});
  const SpaceCount count = space.count();
  REQUIRE(count.valid > 20);
  REQUIRE(count.valid < 2000);
  std::mt19937_64 random(5);
  std::set<ParameterPoint> points;
  for (std::int64_t i = 0; i < 200 * count.valid; ++i) points.insert(*space.draw(random));
  CHECK(static_cast<std::int64_t>(points.size()) == count.valid);
}

int differences(const ParameterPoint& one, const ParameterPoint& other) {
  int different = 0;
  for (const Field& field : fields(Codelet::kGemm)) {
    different += field.text(one) != field.text(other) ? 1 : 0;
  }
  return different;
}

TEST_CASE("neighbours are valid, and those that differ in one parameter are mutual", "[long]") {
  const Space space(gemm_point(Op::kTN), kLimits, {true, {}});
  std::mt19937_64 random(9);
  for (int i = 0; i < 50; ++i) {
    const ParameterPoint point = *space.draw(random);
    const std::vector<ParameterPoint> neighbours = space.neighbours(point);
    CHECK(neighbours.size() > 5);
    for (const ParameterPoint& neighbour : neighbours) {
      for (const Rule& rule : rules(Codelet::kGemm)) REQUIRE(rule.holds(neighbour, kLimits));
      REQUIRE(differences(point, neighbour) >= 1);
      if (differences(point, neighbour) > 1) continue;
      const auto back = space.neighbours(neighbour);
      REQUIRE(std::find(back.begin(), back.end(), point) != back.end());
    }
  }
}

TEST_CASE("if a step violates a rule, other parameters of the rule change as well") {
  const Space space(gemm_point(Op::kNN), kLimits);
  const auto has_neighbour = [&](const char* from, const char* to) {
    const auto neighbours = space.neighbours(parse_point(from));
    return std::find(neighbours.begin(), neighbours.end(), parse_point(to)) != neighbours.end();
  };
  // One other parameter gets its simplest value,
  CHECK(has_neighbour("work_group_n=16 lanes_n=16 work_group_m=2",
                      "work_group_n=8 lanes_n=1 work_group_m=2"));
  // or all others do,
  CHECK(has_neighbour("work_group_n=8 cache_block_k=16 local_a=yes local_buffers=2 local_pad=2",
                      "work_group_n=8 cache_block_k=16"));
  // or one gets the first value that satisfies the rule.
  CHECK(has_neighbour("work_group_n=8", "work_group_n=8 local_a=yes cache_block_k=8"));
  CHECK(has_neighbour("vector_width=4 tile_n=4", "vector_width=8 tile_n=8"));
}

TEST_CASE("the digest identifies the space") {
  const auto digest = [](Op op, const SpaceLimits& limits, const SpaceOptions& options) {
    return Space(gemm_point(op), limits, options).digest();
  };
  std::set<std::string> digests = {
      digest(Op::kNN, kLimits, {}),
      digest(Op::kTN, kLimits, {}),
      digest(Op::kNN, kSmall, {}),
      digest(Op::kNN, kLimits, {true, {}}),
      digest(Op::kNN, kLimits, {false, {"inner"}}),
      Space(GemvPoint{}, kLimits).digest(),
  };
  CHECK(digests.size() == 6);
  CHECK(digests.count(digest(Op::kNN, kLimits, {})) == 1);
}

TEST_CASE("a space recognises its points") {
  const Space plain(gemm_point(Op::kNN), kLimits);
  const Space packed(gemm_point(Op::kNN), kLimits, {true, {"split_k"}});
  CHECK(plain.contains(gemm_point(Op::kNN)));
  CHECK_FALSE(plain.contains(gemm_point(Op::kNT)));
  CHECK_FALSE(plain.contains(GemvPoint{}));
  CHECK(plain.contains(parse_point("split_k=2")));
  CHECK_FALSE(packed.contains(parse_point("split_k=2")));
  CHECK_FALSE(plain.contains(parse_point("bias=m")));           // another demand
  CHECK_FALSE(plain.contains(parse_point("layout_a=R8x1C")));   // packed
  CHECK_FALSE(plain.contains(parse_point("vector_width=4")));   // breaks a rule: tile_n is 1
  CHECK_FALSE(packed.contains(parse_point("layout_a=R5x1C")));  // a layout that is not searched
  CHECK(plain.contains(parse_point("work_group_m=128")));
  CHECK_FALSE(Space(gemm_point(Op::kNN), kSmall).contains(parse_point("work_group_m=128")));
}

TEST_CASE("the verdict of a rule depends only on the parameters that it declares", "[long]") {
  std::mt19937_64 random(11);
  for (const Codelet codelet : kCodelets) {
    const std::vector<Field>& table = fields(codelet);
    ParameterPoint point = first_point(codelet);
    for (int i = 0; i < 2000; ++i) {
      for (const Field& field : table) field.set(point, random() % field.values.size());
      for (const Rule& rule : rules(codelet)) {
        ParameterPoint other = point;
        for (const Field& field : table) {
          if (std::find(rule.reads.begin(), rule.reads.end(), field.name) == rule.reads.end()) {
            field.set(other, random() % field.values.size());
          }
        }
        INFO(rule.name << ": " << to_text(point) << " and " << to_text(other));
        const SpaceLimits& limits = i % 2 == 0 ? kLimits : kSmall;
        REQUIRE(rule.holds(point, limits) == rule.holds(other, limits));
        if (rule.structural) REQUIRE(rule.holds(point, limits) == rule.holds(point, {}));
      }
    }
  }
}

TEST_CASE("rules declare parameters of their codelet") {
  for (const Codelet codelet : kCodelets) {
    for (const Rule& rule : rules(codelet)) {
      INFO(rule.name);
      CHECK_FALSE(rule.reads.empty());
      for (const std::string_view name : rule.reads) {
        INFO(name);
        CHECK(std::any_of(fields(codelet).begin(), fields(codelet).end(),
                          [&](const Field& field) { return field.name == name; }));
      }
    }
  }
}

}  // namespace
}  // namespace tilewright
