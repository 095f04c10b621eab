#include "codelets/space/foreign_kernels.hpp"

#include <set>

#include "catch.hpp"
#include "codelets/space/named_points.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

TEST_CASE("every kernel of others has a name, a source and an analogue of ours that lies as it") {
  std::set<std::string> names;
  for (const ForeignKernel& foreign : foreign_kernels()) {
    const KernelRecord& record = foreign.record;
    INFO(record.name);
    CHECK(names.insert(record.name).second);
    CHECK(record.is_foreign());
    CHECK(foreign.source.find("section") != std::string::npos);
    CHECK(record.source.find("__kernel void " + record.entry + "(") == 0);
    if (record.role != Role::kGemm) continue;
    const NamedPoint* named = find_named_point(foreign.analogue);
    REQUIRE(named != nullptr);
    CHECK(record.name == foreign.analogue + "-original");
    const auto ours = std::get<GemmPoint>(named->point());
    CHECK(record.layout_a == ours.layout_a);
    CHECK(record.layout_b == ours.layout_b);
    CHECK(record.layout_c == ours.layout_c);
    CHECK(record.id_order == ours.id_order);
    CHECK((record.tile.m == ours.tile_m && record.tile.n == ours.tile_n));
  }
  CHECK(names.size() == 17);
}

TEST_CASE("a foreign kernel with another work-group wants whole groups") {
  const KernelRecord record = find_foreign("blockedNT-original@4x16").value();
  CHECK(record.work_group == std::array{4, 16});
  CHECK((record.multiples.m == 8 && record.multiples.n == 32 && record.multiples.k == 4));
  CHECK(wants_squares(record));
  CHECK_FALSE(wants_squares(find_foreign("blocked-rm-cm-original").value()));
  CHECK_FALSE(find_foreign("blockedNT"));
  CHECK_FALSE(find_foreign("a kernel@home"));
  CHECK_THROWS_AS(find_foreign("blockedNT-original@home"), std::invalid_argument);
}

TEST_CASE("the text of foreign kernels is read strictly") {
  std::string text(seeds_text());
  const auto fails_on = [](const std::string& wrong, const char* key) {
    CHECK_THROWS_WITH(parse_foreign_kernels(wrong, "seeds"),
                      Catch::Matchers::ContainsSubstring(key));
  };
  const auto with = [&](const char* what, const char* by) {
    std::string wrong = text;
    wrong.replace(wrong.find(what), std::string(what).size(), by);
    return wrong;
  };
  fails_on(with("a b c alpha beta n", "a b c alpha beta q"), "arguments: has 'q'");
  fails_on(with("a b c alpha beta n", ""), "arguments: must not be empty");
  fails_on(with("role = ", "rule = "), "role");
  fails_on(with("id_order = \"nm\"", "id_order = \"up\""), "id_order: is 'up'");
  fails_on(with("float sum = 0.0f;", "float sum = 0.0f; printf(n);"),
           "source: has the word 'printf'");
}

}  // namespace
}  // namespace tilewright
