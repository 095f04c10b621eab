// Tests the library on a device with kernels that divide k among work-groups.
#include "codelets/space/emit.hpp"
#include "operands_case.hpp"

namespace tilewright {
namespace {

TEST_CASE("the parts of a product with split k are added up") {
  const TestDevice d;
  for (const int parts : {2, 5}) {
    KernelRecord gemm = written_gemm("gemm", "R", "R", "R");
    gemm.split_k = parts;
    LibraryHandle library = make_library(d, {with_source(gemm), written_reduce("reduce")});
    CHECK(library->kernels_for(kUpdate) == Names{"gemm", "reduce"});
    check_products(d, library);
  }
}

TEST_CASE("tiles that work-groups share are added up, the others are stored in C") {
  const TestDevice d;
  const char* kernel =
      "gemm tile_m=4 tile_n=4 vector_width=4 work_group_m=4 work_group_n=4 stream_k=3";
  LibraryHandle library = make_library(d, {emit(parse_point(kernel)), written_reduce("reduce")});
  const auto at_once = static_cast<std::size_t>(3 * identify(d.device).compute_units);
  unsigned seed = 0;
  const auto check = [&](std::size_t m, std::size_t n, float beta) {
    const BlasCase test({.m = m, .n = n, .k = 640, .alpha = 1.5f, .beta = beta}, 1, 1, ++seed);
    INFO(m << " x " << n << ", beta = " << beta);
    CHECK(run_case(d, library, test) == "");
  };
  for (const float beta : {0.0f, -0.5f}) {
    // Tiles of 16 x 16: one after two full waves, whose parts end with it; and so many after one
    // wave that parts continue in the next tile.
    for (const std::size_t tiles : {2 * at_once + 1, at_once + at_once / 2 + 1}) {
      const std::size_t m = 16 * tiles - 5;
      CHECK(library->kernels_for({.m = m, .n = 16, .k = 640, .beta = beta}).back() == "reduce");
      check(m, 16, beta);
    }
    for (const std::size_t n : {68, 77}) check(75, n, beta);
  }
}

TEST_CASE("a product that has changed some rows of C before it failed must not be repeated") {
  const TestDevice d;
  const char* kernel =
      "gemm tile_m=4 tile_n=4 vector_width=4 work_group_m=4 work_group_n=4 stream_k=3";
  // Each launch of this kernel is refused, because it has another work-group.
  KernelRecord reduce = written_reduce("reduce");
  const std::string word = "__kernel";
  const std::size_t at = reduce.source.find(word);
  REQUIRE(at != std::string::npos);
  reduce.source.insert(at + word.size(), " __attribute__((reqd_work_group_size(7, 3, 1)))");
  LibraryHandle library = make_library(d, {emit(parse_point(kernel)), reduce});
  const auto tiles = static_cast<std::size_t>(6 * identify(d.device).compute_units + 1);
  const BlasCase test({.m = 16 * tiles - 5, .n = 16, .k = 640, .beta = -0.5f}, 0, 0, 1);
  CHECK_THROWS_AS(run_case(d, library, test), PartialResultError);
  d.queue.finish();
}

}  // namespace
}  // namespace tilewright
