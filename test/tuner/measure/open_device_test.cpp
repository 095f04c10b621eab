// How many kernels a session keeps.
#include "tuner/measure/open_device.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

// Of so many kernels, asked for one after the other: how many are still there?
int kept_of(OpenDevice& open, const std::shared_ptr<KeptKernel>& kernel, int count) {
  for (int i = 0; i < count; ++i) open.keep(fmt::format("point {}", i), kernel);
  int kept = 0;
  for (int i = 0; i < count; ++i) kept += open.kept(fmt::format("point {}", i)) != nullptr;
  return kept;
}

// As seen: finals of 80 finalists loaded every fifth kernel anew in each round, and got through a
// tenth of the rounds.
TEST_CASE("as many kernels are kept as room was made for, and no fewer than usual") {
  OpenDevice open(*find_test_device(), "");
  Loaded loaded = open.executor().load(emit(parse_point("gemm tile_m=2 tile_n=4")));
  REQUIRE(std::holds_alternative<std::unique_ptr<LoadedKernel>>(loaded));
  const auto kernel = std::make_shared<KeptKernel>();
  kernel->kernel = std::move(std::get<std::unique_ptr<LoadedKernel>>(loaded));
  CHECK(kept_of(open, kernel, 80) == 64);
  open.make_room(100);
  CHECK(kept_of(open, kernel, 100) == 100);
  open.make_room(3);
  CHECK(kept_of(open, kernel, 60) == 60);
}

}  // namespace
}  // namespace tilewright
