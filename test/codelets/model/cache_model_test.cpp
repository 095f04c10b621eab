#include "codelets/model/cache_model.hpp"

#include <array>

#include "catch.hpp"
#include "codelets/model/expectation.hpp"
#include "codelets/space/named_points.hpp"

namespace tilewright {
namespace {

constexpr int kLineFloats = 16;
constexpr int kResidents = 128;  // as the Mali-T600 paper assumes

GemmPoint gemm(std::string_view text) {
  return std::get<GemmPoint>(parse_point(text));
}

GemmPoint named(std::string_view name) {
  return std::get<GemmPoint>(find_named_point(name)->point());
}

// lambda_1 counts along m, lambda_0 along n, and consecutive work-groups are neighbours along n.
GemmPoint with_work_group(GemmPoint point, int lambda_0, int lambda_1) {
  point.work_group_n = lambda_0;
  point.work_group_m = lambda_1;
  point.id_order = IdOrder::kNM;
  point.group_order = GroupOrder::kRows;
  return point;
}

TEST_CASE("the cache footprint reproduces Table 1.2 of the Mali-T600 paper") {
  struct Column {
    int lambda_1;
    double nn;
    double nt;
  };
  constexpr std::array<Column, 8> kTable = {{{1, 513, 258},
                                             {2, 258, 132},
                                             {4, 132, 72},
                                             {8, 72, 48},
                                             {16, 48, 48},
                                             {32, 48, 72},
                                             {64, 72, 132},
                                             {128, 132, 258}}};
  for (const Column& column : kTable) {
    INFO("lambda_1 " << column.lambda_1);
    // The result does not depend on the shape along n.
    for (int lambda_0 = 1; lambda_0 * column.lambda_1 <= kResidents; lambda_0 *= 2) {
      const auto lines = [&](const char* name) {
        const GemmPoint point = with_work_group(named(name), lambda_0, column.lambda_1);
        const CacheFootprint footprint = cache_footprint(point, kResidents, kLineFloats);
        CHECK(footprint.k_steps == 16);
        return footprint.lines();
      };
      CHECK(lines("blockedNN") == column.nn);
      CHECK(lines("blockedNT") == column.nt);
    }
  }
}

TEST_CASE("the footprint of the paper's example is 32 lines of A and 16 of B") {
  const GemmPoint point = with_work_group(named("blockedNN"), 4, 32);
  const CacheFootprint footprint = cache_footprint(point, kResidents, kLineFloats);
  CHECK(footprint.a == 32);
  CHECK(footprint.b == 16);
  CHECK(footprint.touched == 48);
}

TEST_CASE("cache lines that are wider than the data read from them count completely") {
  // 16 steps of k, each with one line of B, of which a work-group reads a quarter.
  const GemmPoint narrow = with_work_group(named("blockedNN"), 1, 128);
  const CacheFootprint footprint = cache_footprint(narrow, kResidents, kLineFloats);
  CHECK(footprint.b == 4);
  CHECK(footprint.touched == 128 + 16);
}

TEST_CASE(
    "layouts shorten the window and so the footprint, which also depends on tiles and orders") {
  const auto footprint = [](const std::string& text, int residents = 128) {
    return cache_footprint(gemm(text), residents, kLineFloats);
  };
  const std::string group = " work_group_m=8 work_group_n=16";
  const std::string tile = " tile_m=4 tile_n=4 vector_width=4" + group;
  const CacheFootprint plain = footprint("op=NN" + tile);
  CHECK(plain.k_steps == 16);
  CHECK(plain.lines() == 32 + 64);
  const CacheFootprint panels = footprint("layout_a=R4x1C layout_b=C1x4R" + tile);
  CHECK(panels.k_steps == 4);
  CHECK(panels.lines() == 8 + 16);
  CHECK(panels.touched == 8 + 16);
  // Half as many lines with chunks of 2 x 4, and a quarter with 4 x 4 (thesis, 8.1).
  const std::string dot =
      " tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot edges=padded" + group;
  CHECK(footprint("op=NT" + dot).lines() ==
        2 * footprint("layout_a=R2x4R layout_b=C4x2C" + dot).lines());
  CHECK(footprint("op=NT" + dot).lines() ==
        4 * footprint("layout_a=R4x4R layout_b=C4x4C" + dot).lines());
  // Two work-groups next to each other along n share A; along m they share B.
  CHECK(footprint("op=NN" + tile, 256).b == 2 * plain.b);
  CHECK(footprint("op=NN group_order=columns" + tile, 256).a == 2 * plain.a);
  CHECK(footprint("op=NN group_order=tiled" + tile, 256).a == 2 * plain.a);
  CHECK(footprint("op=NN group_order=morton" + tile, 512).a == 2 * plain.a);
  CHECK(footprint("op=NN group_order=morton" + tile, 512).b == 2 * plain.b);
  // A work-group that is larger than the number of resident work-items is resident completely.
  CHECK(footprint("op=NN" + tile, 1).lines() == plain.lines());
}

TEST_CASE("the number of streams is that of the panels, rows and columns that are read together") {
  const auto streams = [](const std::string& text) {
    const std::string tile = " tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=16";
    return cache_footprint(gemm(text + tile), kResidents, kLineFloats).streams;
  };
  CHECK(streams("layout_a=R4x1C layout_b=C1x4R") == 8 + 16);
  CHECK(streams("layout_a=R8x1C layout_b=C1x4R") == 4 + 16);
  CHECK(streams("op=NT") == 32 + 64);
  // Places that are contiguous in memory count as one.
  CHECK(streams("op=NN") == 32 + 1);
  CHECK(streams("op=TN") == 1 + 1);
}

TEST_CASE("the miss pattern reproduces Table 8.1 of the thesis") {
  const auto check = [](std::string_view name, double bulk, double period) {
    INFO(name);
    const MissPattern pattern = miss_pattern(named(name), kLineFloats);
    CHECK(pattern.bulk == bulk);
    CHECK(pattern.period == period);
  };
  check("blocked-rm-cm", 40, 4);
  check("morton-4-2", 20, 2);
  check("morton-4-4", 10, 1);
}

TEST_CASE("a loop iteration that reads several lines of an operand misses all of them") {
  // NN reads tile_k lines of B in each iteration, and one line of A in four iterations.
  const MissPattern nn = miss_pattern(
      gemm("op=NN tile_n=4 tile_k=4 vector_width=4 work_group_m=8 work_group_n=4"), kLineFloats);
  CHECK(nn.bulk == 8 + 4);
  CHECK(nn.period == 4);
  const MissPattern deep = miss_pattern(gemm("op=NT tile_k=16 inner=partial vector_width=16"), 4);
  CHECK(deep.bulk == 2 * 4);
  CHECK(deep.period == 1);
}

TEST_CASE("barriers of the paper's kernel must be more than 16 iterations apart") {
  // 1.4.8: 256 / 16 = 16 iterations of 4 steps. The paper chose 32, so the point has 128 steps.
  const GemmPoint point = named("cacheblockedNT");
  CHECK(min_cache_block_k(point) == 16 * 4);
  CHECK(point.cache_block_k == 32 * 4);
}

}  // namespace
}  // namespace tilewright
