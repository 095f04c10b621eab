#include "catch.hpp"
#include "text_rules.hpp"

namespace tilewright {
namespace {

TEST_CASE("invalid gemv points are rejected") {
  CHECK_THROWS(emit(parse_point("gemv layout_a=R8x1C")));
  CHECK_THROWS(emit(parse_point("gemv layout_a=R tile_wide=4 vector_width=4")));
  CHECK_THROWS(emit(parse_point("gemv layout_a=C tile_k=4 vector_width=4")));
  CHECK_THROWS(emit(parse_point("gemv k_first=no work_group_k=8")));
}

TEST_CASE("a gemv record has the launch facts of its kernel") {
  const KernelRecord rows = emit(
      parse_point("gemv tile_narrow=2 tile_wide=4 tile_k=8 work_group_k=32 work_group_wide=2"));
  CHECK(rows.role == Role::kGemv);
  CHECK(rows.narrow == Dimension::kN);
  CHECK(rows.tile == Tile{4, 2, 8});
  CHECK(rows.work_group == std::array{32, 2});
  CHECK(rows.id_order == IdOrder::kNM);
  CHECK(rows.local_bytes == 64 * 8 * 4);
  const KernelRecord columns =
      emit(parse_point("gemv narrow=m tile_narrow=2 tile_wide=4 work_group_k=4 work_group_wide=8 "
                       "k_first=no bias=m activation=tanh"));
  CHECK(columns.tile == Tile{2, 4, 1});
  CHECK(columns.work_group == std::array{8, 4});
  CHECK(columns.id_order == IdOrder::kNM);
  CHECK(columns.bias == Dimension::kM);
  CHECK(columns.activation == Activation::kTanh);
}

TEST_CASE("gemv kernels satisfy the rules for emitted text", "[long]") {
  check_text_rules(Codelet::kGemv, 200);
}

}  // namespace
}  // namespace tilewright
