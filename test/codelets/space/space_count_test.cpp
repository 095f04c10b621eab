// Tests that points are counted exactly, by comparison with enumeration.
#include "codelets/space/space_count.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "catch.hpp"
#include "space_limits.hpp"

namespace tilewright {
namespace {

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

}  // namespace
}  // namespace tilewright
