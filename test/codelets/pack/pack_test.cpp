#include "catch.hpp"
#include "text_rules.hpp"

namespace tilewright {
namespace {

TEST_CASE("invalid pack points are rejected") {
  CHECK_THROWS(emit(parse_point("pack from=R8x1C to=C1x8R")));
  CHECK_THROWS(emit(parse_point("pack from=C to=R tile_m=2 tile_n=2 vector_width=4")));
  CHECK_THROWS(emit(parse_point("pack from=C to=R image=yes")));
  CHECK_THROWS(emit(parse_point("pack from=R to=R local=yes work_group_m=8")));
}

TEST_CASE("a pack record has the launch facts of its kernel") {
  const KernelRecord record =
      emit(parse_point("pack from=C to=R tile_m=4 work_group_m=8 work_group_n=32 local=yes"));
  CHECK(record.role == Role::kPack);
  CHECK(record.work_group == std::array{32, 8});
  CHECK(record.tile == Tile{4, 1, 1});
  // 32 lines of 32 floats, with a gap of one float.
  CHECK(record.local_bytes == 32 * 33 * 4);
  CHECK(record.layout_a == Layout::C());
  CHECK(record.layout_c == Layout::R());
  CHECK(record.epilogue == Epilogue::kNone);
}

TEST_CASE("pack kernels satisfy the rules for emitted text", "[long]") {
  check_text_rules(Codelet::kPack, 200);
}

}  // namespace
}  // namespace tilewright
