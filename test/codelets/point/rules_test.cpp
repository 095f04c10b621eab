// Tests of the tables of rules of all codelets.
#include <algorithm>
#include <random>

#include "catch.hpp"
#include "codelets/point/validity.hpp"
#include "space_limits.hpp"

namespace tilewright {
namespace {

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
