#include "codelets/space/named_points.hpp"

#include <set>

#include "catch.hpp"
#include "codelets/point/validity.hpp"
#include "codelets/space/emit.hpp"

namespace tilewright {
namespace {

GemmPoint named_gemm(const char* name) {
  const NamedPoint* named = find_named_point(name);
  REQUIRE(named != nullptr);
  return std::get<GemmPoint>(named->point());
}

Layout layout(const char* text) {
  return *parse_layout(text);
}

TEST_CASE("every named point is valid and has a unique name and a source") {
  std::set<std::string_view> names;
  std::set<ParameterPoint> points;
  for (const NamedPoint& named : named_points()) {
    INFO(named.name);
    CHECK(names.insert(named.name).second);
    CHECK(points.insert(named.point()).second);
    CHECK(to_text(named.point()) == to_text(parse_point(to_text(named.point()))));
    const Rule* rule = broken_structural_rule(named.point());
    CHECK((rule == nullptr ? "" : rule->name) == "");
    CHECK_FALSE(emit(named.point()).source.empty());
    CHECK_FALSE(named.source.empty());
    CHECK(named.remark.ends_with('.'));
  }
  CHECK(names.size() == 23);
  CHECK(find_named_point("blockedTT") == nullptr);
}

TEST_CASE("the kernels of the Mali-T600 paper") {
  // The paper writes its blockings as m x k x n.
  const GemmPoint nn = named_gemm("blockedNN");
  CHECK((nn.tile_m == 1 && nn.tile_k == 4 && nn.tile_n == 4 && nn.inner == Inner::kOuter));
  CHECK((nn.layout_a == Layout::R() && nn.layout_b == Layout::R()));
  const GemmPoint nt = named_gemm("blockedNT");
  CHECK((nt.tile_m == 2 && nt.tile_k == 4 && nt.tile_n == 2 && nt.inner == Inner::kDot));
  CHECK((nt.layout_a == Layout::R() && nt.layout_b == Layout::C()));
  CHECK(nt.id_order == IdOrder::kMN);  // Listing 1.12: i = get_global_id(0)
  const GemmPoint cached = named_gemm("cacheblockedNT");
  CHECK(cached.cache_block_k == 32 * 4);   // dk counts float4
  CHECK(cached.id_order == IdOrder::kNM);  // Listing 1.13: j = get_global_id(0)
}

TEST_CASE("the kernels of the thesis: Table 8.1 and its listings") {
  for (const char* name : {"blocked-rm-cm", "morton-4-2", "morton-4-4"}) {
    const GemmPoint p = named_gemm(name);
    CHECK((p.work_group_m == 4 && p.work_group_n == 16 && p.id_order == IdOrder::kMN));
    CHECK((p.tile_m == 2 && p.tile_n == 2 && p.tile_k == 4 && p.inner == Inner::kDot));
  }
  const GemmPoint baseline = named_gemm("blocked-rm-cm");
  CHECK((baseline.layout_a == Layout::R() && baseline.layout_b == Layout::C() &&
         baseline.layout_c == Layout::C()));
  const GemmPoint two = named_gemm("morton-4-2");
  CHECK((two.layout_a == layout("R 2 4 R") && two.layout_b == layout("C 4 2 C") &&
         two.layout_c == layout("C 4 2 C")));
  const GemmPoint four = named_gemm("morton-4-4");
  CHECK((four.layout_a == layout("R 4 4 R") && four.layout_b == layout("C 4 4 C") &&
         four.layout_c == layout("C 4 4 C")));
}

// Source 12.5 stores float2 values: rows 2 row and 2 row + 1 of column 2 col at ix, those of the
// next column at ix + 2.
TEST_CASE("the listing of morton-4-2 stores the layout C 4 2 C") {
  const std::int64_t h = 24;
  const Layout result = named_gemm("morton-4-2").layout_c;
  for (std::int64_t row = 0; row < h / 2; ++row) {
    for (std::int64_t col = 0; col < 5; ++col) {
      const std::int64_t ix = h / 4 * col * 4 + row / 2 * 4 + (row & 1);
      const std::int64_t ld = result.min_ld(h, 10);
      CHECK(result.index(2 * row, 2 * col, ld) == 2 * ix);
      CHECK(result.index(2 * row + 1, 2 * col, ld) == 2 * ix + 1);
      CHECK(result.index(2 * row, 2 * col + 1, ld) == 2 * (ix + 2));
    }
  }
}

TEST_CASE("the kernels of RaijinCL: Table III") {
  for (const char* name : {"raijin-gcn", "raijin-northern-islands", "raijin-fermi", "raijin-kepler",
                           "raijin-ivy-bridge", "raijin-hybrid"}) {
    const GemmPoint p = named_gemm(name);
    CHECK((p.layout_a == Layout::C() && p.layout_b == Layout::R()));  // TN
    CHECK(p.assignment == Assignment::kOffset);
    CHECK(p.local_a == p.local_b);
    CHECK((p.cache_block_k > 0) == p.local_a);
  }
  CHECK(named_gemm("raijin-northern-islands").tile_k == 2);
  CHECK(named_gemm("raijin-fermi").cache_block_k == 16);
  CHECK(named_gemm("raijin-kepler").vector_width == 2);
  CHECK(named_gemm("raijin-kepler").work_group_m == 16);
  CHECK((!named_gemm("raijin-ivy-bridge").image_a && named_gemm("raijin-ivy-bridge").image_b));
}

}  // namespace
}  // namespace tilewright
