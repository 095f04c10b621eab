#include "codelets/space/space.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "catch.hpp"
#include "space_limits.hpp"

namespace tilewright {
namespace {

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

}  // namespace
}  // namespace tilewright
