#include "codelets/merit.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("the expected merit prefers what the device's vectors like") {
  const auto merit = [](const char* point, int width) {
    return expected_merit(parse_point(point), {width, 1});
  };
  const char* scalar = "op=NN";
  const char* small = "op=NN tile_m=4 tile_n=4 tile_k=4 vector_width=4";
  const char* wide = "op=NN tile_m=8 tile_n=48 vector_width=16";
  CHECK(merit(scalar, 16) < merit(small, 16));
  CHECK(merit(small, 16) < merit(wide, 16));
  // Where work-items are lanes, vectors do not multiply more at once.
  CHECK(merit(wide, 1) < 1.0);
  CHECK(merit(wide, 16) > 8.0);
  // A work-group that leaves lanes idle is worth less.
  CHECK(expected_merit(parse_point("work_group_n=8"), {1, 32}) ==
        Approx(expected_merit(parse_point("work_group_n=32"), {1, 32}) / 4));
  // NT with vectors along n puts each vector together; along k it loads them.
  CHECK(merit("op=NT tile_m=4 tile_n=16 tile_k=16 vector_width=16", 16) <
        merit("op=NT tile_m=4 tile_n=4 tile_k=16 vector_width=16 inner=partial", 16));
}

}  // namespace
}  // namespace tilewright
