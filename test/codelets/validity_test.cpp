#include "codelets/validity.hpp"

#include <set>

#include "catch.hpp"

namespace tilewright {
namespace {

constexpr SpaceLimits kLimits{256, {256, 64}, 128};

// Name of the broken rule, or "valid".
std::string verdict(const std::string& point, const SpaceLimits& limits = kLimits) {
  const Rule* rule = broken_rule(parse_point(point), limits);
  return rule == nullptr ? "valid" : std::string(rule->name);
}

TEST_CASE("each rule refuses what it is for and nothing beside it") {
  CHECK(verdict("") == "valid");
  CHECK(verdict("tile_n=8 vector_width=4") == "valid");
  CHECK(verdict("tile_n=6 vector_width=4") == "vector_divides_tile");
  CHECK(verdict("tile_k=8 vector_width=4 inner=dot") == "valid");
  CHECK(verdict("tile_k=2 vector_width=4 inner=dot") == "vector_divides_tile");
  CHECK(verdict("inner=dot") == "inner_product_is_vector");
  CHECK(verdict("inner=partial") == "inner_product_is_vector");
  CHECK(verdict("tile_k=8 vector_width=8 inner=dot") == "dot_takes_float4");
  CHECK(verdict("tile_k=8 vector_width=8 inner=partial") == "valid");
  CHECK(verdict("tile_k=4 vector_width=4 inner=dot multiply_add=fma") == "dot_spells_itself");
  CHECK(verdict("tile_m=16 tile_n=64 tile_k=16") == "loop_body_is_bounded");
}

TEST_CASE("work-groups are held to the device's limits in each dimension") {
  CHECK(verdict("work_group_m=16 work_group_n=16") == "valid");
  CHECK(verdict("work_group_m=16 work_group_n=32") == "work_group_fits");
  // Dimension 0 runs along n, or along m with id_order=mn; here dimension 1 takes 64 at most.
  const SpaceLimits narrow{256, {64, 2}, 128};
  CHECK(verdict("work_group_m=2 work_group_n=4", narrow) == "valid");
  CHECK(verdict("work_group_m=4 work_group_n=2", narrow) == "work_group_fits");
  CHECK(verdict("work_group_m=4 work_group_n=2 id_order=mn", narrow) == "valid");
}

TEST_CASE("the register estimate counts accumulators and operands") {
  CHECK(floats_held(parse_point("")) == 3);
  // 16 accumulators, four float4 rows of A along k, one float4 of B along n.
  CHECK(floats_held(parse_point("tile_m=4 tile_n=4 tile_k=4 vector_width=4")) == 16 + 16 + 4);
  // Partial sums are vectors.
  CHECK(floats_held(parse_point("op=NT tile_m=2 tile_n=2 tile_k=8 vector_width=8 inner=partial")) ==
        2 * 2 * 8 + 2 * 8 + 2 * 8);
  CHECK(verdict("tile_m=8 tile_n=16") == "fits_registers");
  CHECK(verdict("tile_m=8 tile_n=8") == "valid");
}

TEST_CASE("structural rules need no device, and come first") {
  bool structural = true;
  std::set<std::string_view> names;
  for (const Rule& rule : rules()) {
    CHECK((structural || !rule.structural));
    structural = rule.structural;
    CHECK(names.insert(rule.name).second);
    CHECK(rule.reason.size() > 20);
  }
  CHECK(broken_structural_rule(parse_point("tile_m=16 tile_n=64")) == nullptr);
  CHECK(broken_structural_rule(parse_point("tile_n=6 vector_width=4")) != nullptr);
}

}  // namespace
}  // namespace tilewright
