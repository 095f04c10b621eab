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

// lambda_1 runs along m, lambda_0 along n, and work-groups follow each other along n.
GemmPoint with_work_group(GemmPoint point, int lambda_0, int lambda_1) {
  point.work_group_n = lambda_0;
  point.work_group_m = lambda_1;
  point.id_order = IdOrder::kNM;
  point.group_order = GroupOrder::kRows;
  return point;
}

TEST_CASE("the cache footprint is that of the Mali-T600 paper's Table 1.2") {
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
    // No shape along n changes it.
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

TEST_CASE("lines that are wider than what is read of them are touched whole") {
  // 16 steps of k, each a line of B of which a work-group reads a quarter.
  const GemmPoint narrow = with_work_group(named("blockedNN"), 1, 128);
  const CacheFootprint footprint = cache_footprint(narrow, kResidents, kLineFloats);
  CHECK(footprint.b == 4);
  CHECK(footprint.touched == 128 + 16);
}

TEST_CASE("layouts shorten the window and so the footprint, tiles and orders shape it") {
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
  // Half as many lines with chunks of 2 x 4, a quarter with 4 x 4 (thesis, 8.1).
  const std::string dot =
      " tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot edges=padded" + group;
  CHECK(footprint("op=NT" + dot).lines() ==
        2 * footprint("layout_a=R2x4R layout_b=C4x2C" + dot).lines());
  CHECK(footprint("op=NT" + dot).lines() ==
        4 * footprint("layout_a=R4x4R layout_b=C4x4C" + dot).lines());
  // Two work-groups side by side along n share A, one under the other B.
  CHECK(footprint("op=NN" + tile, 256).b == 2 * plain.b);
  CHECK(footprint("op=NN group_order=columns" + tile, 256).a == 2 * plain.a);
  CHECK(footprint("op=NN group_order=tiled" + tile, 256).a == 2 * plain.a);
  CHECK(footprint("op=NN group_order=morton" + tile, 512).a == 2 * plain.a);
  CHECK(footprint("op=NN group_order=morton" + tile, 512).b == 2 * plain.b);
  // A work-group that is larger than what is resident is there whole.
  CHECK(footprint("op=NN" + tile, 1).lines() == plain.lines());
}

TEST_CASE("operands come from as many places as panels, or rows and columns, are read together") {
  const auto streams = [](const std::string& text) {
    const std::string tile = " tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=16";
    return cache_footprint(gemm(text + tile), kResidents, kLineFloats).streams;
  };
  CHECK(streams("layout_a=R4x1C layout_b=C1x4R") == 8 + 16);
  CHECK(streams("layout_a=R8x1C layout_b=C1x4R") == 4 + 16);
  CHECK(streams("op=NT") == 32 + 64);
  // What lies side by side in memory is one place.
  CHECK(streams("op=NN") == 32 + 1);
  CHECK(streams("op=TN") == 1 + 1);
}

TEST_CASE("the miss pattern is that of the thesis' Table 8.1") {
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

TEST_CASE("a turn that takes several lines of an operand misses all of them") {
  // NN reads tile_k lines of B in a turn, and one of A in four turns.
  const MissPattern nn = miss_pattern(
      gemm("op=NN tile_n=4 tile_k=4 vector_width=4 work_group_m=8 work_group_n=4"), kLineFloats);
  CHECK(nn.bulk == 8 + 4);
  CHECK(nn.period == 4);
  const MissPattern deep = miss_pattern(gemm("op=NT tile_k=16 inner=partial vector_width=16"), 4);
  CHECK(deep.bulk == 2 * 4);
  CHECK(deep.period == 1);
}

TEST_CASE("barriers of the paper's kernel must be more than 16 turns apart") {
  // 1.4.8: 256 / 16 = 16 turns of 4 steps; the paper took 32, our point 128 steps.
  const GemmPoint point = named("cacheblockedNT");
  CHECK(least_cache_block_k(point) == 16 * 4);
  CHECK(point.cache_block_k == 32 * 4);
}

}  // namespace
}  // namespace tilewright
