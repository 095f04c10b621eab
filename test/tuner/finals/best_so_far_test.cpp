// The table of the best so far, of made-up outcomes.
#include "tuner/finals/best_so_far.hpp"

#include "catch.hpp"
#include "journal_examples.hpp"

namespace tilewright {
namespace {

const GemmShape kSmall{64, 64, 64};
const GemmShape kLarge{512, 512, 512};

using Lines = std::vector<std::string>;

TEST_CASE("the best of each op and shape stands in the table, packed kernels apart") {
  BestSoFar best;
  CHECK(best.table(8, 0.0).empty());
  best.note(example_outcome("gemm tile_m=4", "NN", {{kSmall, {2000.0}}, {kLarge, {500e3}}}, 1.0));
  best.note(example_outcome("gemm tile_m=8", "NN", {{kSmall, {1000.0}}, {kLarge, {900e3}}}, 2.0));
  best.note(example_outcome("gemm op=NT", "NT", {{kLarge, {250e3}}}, 3.0));
  best.note(example_outcome("gemm layout_a=R4x1C tile_m=4", "packed", {{kSmall, {500.0}}}, 4.0));
  Outcome failed = example_outcome("gemm tile_m=2", "NN", {{kSmall, {1.0}}}, 5.0);
  failed.result = OutcomeClass::kSlow;
  best.note(failed);
  // A product with a bias is not a plain one.
  best.note(example_outcome("gemm tile_m=2 bias=n", kFused, {{kSmall, {10.0}}}, 6.0));
  CHECK(best.table(8, 2000.0) ==
        Lines{"best GFLOPS so far             NN             NT         packed",
              "512x512x512          536.9 (27 %)    1074 (54 %)              -",
              "64x64x64             524.3 (26 %)              -    1049 (52 %)"});
  // Samples of a search do not raise the peak.
  CHECK(best.table(8, 600.0)[1] ==
        "512x512x512          536.9 (89 %)  1074 (>100 %)              -");
  CHECK(best.table(8, 0.0)[1] == "512x512x512                 536.9           1074              -");
}

TEST_CASE("of many shapes some at even distances are shown") {
  BestSoFar best;
  for (int i = 1; i <= 24; ++i) {
    best.note(example_outcome("gemm", "NN", {{{16 * i, 16, 16}, {1000.0}}}, i));
  }
  const Lines table = best.table(3, 0.0);
  REQUIRE(table.size() == 4);
  CHECK(table[1].rfind("384x16x16 ", 0) == 0);
  CHECK(table[2].rfind("256x16x16 ", 0) == 0);
  CHECK(table[3].rfind("128x16x16 ", 0) == 0);
  CHECK(best.table(100, 0.0).size() == 25);
}

}  // namespace
}  // namespace tilewright
