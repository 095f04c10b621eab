#include "tuner/bench/kernel_bench.hpp"

#include "catch.hpp"
#include "profiles/base/usage_error.hpp"

namespace tilewright {
namespace {

TEST_CASE("points are chosen by name, or all at once") {
  const auto all = choose_points("published", "--points");
  CHECK(all.size() == named_points().size());
  CHECK(all[0].name == "scalarNN");
  const auto two = choose_points("morton-4-2,blockedNT,morton-4-2", "--points");
  REQUIRE(two.size() == 2);
  CHECK(two[0].name == "morton-4-2");
  CHECK(two[1].name == "blockedNT");
  CHECK_THROWS_AS(choose_points("blockedNT,nobody", "--points"), UsageError);
  CHECK_THROWS_AS(choose_points(",", "--points"), UsageError);
}

TEST_CASE("points can also be written in the format of profiles") {
  const std::string text = "gemm tile_m=4 tile_n=8 vector_width=8";
  const auto chosen = choose_points("blockedNT," + text + "," + text, "--points");
  REQUIRE(chosen.size() == 2);
  CHECK(chosen[1].name == kernel_name(parse_point(text)));
  CHECK(chosen[1].point == parse_point(text));
  CHECK_THROWS_WITH(choose_points("gemm tile_m=no", "--points"),
                    Catch::Matchers::StartsWith("--points: "));
}

}  // namespace
}  // namespace tilewright
