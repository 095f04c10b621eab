// Tests how long launches become while an unknown kernel is measured, with an artificial kernel.
#include "tuner/measure/dispatch_guard.hpp"

#include <functional>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "tuner/journal/records/shapes.hpp"

namespace tilewright {
namespace {

using Kind = DispatchStep::Kind;

// Returns the time of the artificial kernel.
using TimeOf = std::function<double(const GemmShape&)>;

struct Climb {
  DispatchStep last;
  double longest_ns = 0.0;  // over all learning launches
  int launches = 0;
};

Climb climb(const GemmShape& whole, const GroupTile& tile, const TimeOf& expected_time,
            double max_dispatch_ns) {
  Climb result;
  LearnedRate rate;
  while (true) {
    result.last = next_step(whole, tile, rate, max_dispatch_ns);
    if (result.last.kind != Kind::kLearn) return result;
    const double ns = expected_time(result.last.part);
    result.longest_ns = std::max(result.longest_ns, ns);
    REQUIRE(flops(result.last.part) > rate.flops);
    rate = {ns / flops(result.last.part), flops(result.last.part)};
    REQUIRE(++result.launches < 50);
  }
}

// Returns a time that consists of an overhead and a rate.
TimeOf rated(double overhead_ns, double ns_per_flop) {
  return [=](const GemmShape& shape) { return overhead_ns + ns_per_flop * flops(shape); };
}

TEST_CASE("a fast kernel is measured whole after few launches, even if launches are expensive") {
  const Climb all = climb({1024, 1024, 1024}, {64, 64}, rated(50e3, 1e-3), 200e6);
  CHECK(all.last.kind == Kind::kMeasure);
  CHECK(all.last.part == GemmShape{1024, 1024, 1024});
  CHECK(all.launches <= 5);
  CHECK(all.longest_ns <= 200e6);
}

TEST_CASE("the first launch has one work-group and a small k") {
  const DispatchStep first = next_step({1024, 1000, 512}, {64, 32}, {}, 200e6);
  CHECK(first.kind == Kind::kLearn);
  CHECK(first.part == GemmShape{64, 32, 16});
  CHECK(next_step({3, 5, 7}, {64, 32}, {}, 200e6).part == GemmShape{3, 5, 7});
}

TEST_CASE("a slow kernel is measured on whole rows of work-groups that stay within the limit") {
  // 2.1 s for the whole product.
  const TimeOf slow = rated(20e3, 1.0);
  const Climb part = climb({1024, 1024, 1024}, {16, 16}, slow, 200e6);
  CHECK(part.last.kind == Kind::kMeasure);
  CHECK(part.last.part.m % 16 == 0);
  CHECK(part.last.part.n == 1024);
  CHECK(part.last.part.k == 1024);
  CHECK(slow(part.last.part) <= 1.01 * 200e6);
  CHECK(slow(part.last.part) >= 0.6 * 200e6);
  CHECK(part.longest_ns <= 0.26 * 200e6);
}

TEST_CASE("launches stay within the limit even if a larger product is slower because of caches") {
  const TimeOf worse = [](const GemmShape& shape) {
    return (flops(shape) < 1e7 ? 0.01 : 0.035) * flops(shape);
  };
  const Climb part = climb({4096, 4096, 4096}, {64, 64}, worse, 200e6);
  CHECK(part.last.kind == Kind::kMeasure);
  CHECK(part.longest_ns <= 200e6);
  CHECK(worse(part.last.part) <= 200e6);
}

TEST_CASE("a kernel is too slow if one row of work-groups takes too long") {
  // 64 rows take 1.3 s.
  const Climb none = climb({1024, 1024, 1024}, {64, 64}, rated(0.0, 10.0), 200e6);
  CHECK(none.last.kind == Kind::kTooSlow);
  CHECK(none.last.expected_ns > 200e6);
  CHECK(none.longest_ns <= 200e6);
  // The whole product is one row.
  CHECK(climb({16, 4096, 4096}, {64, 64}, rated(0.0, 10.0), 200e6).last.kind == Kind::kTooSlow);
}

TEST_CASE("a known rate makes learning launches unnecessary") {
  const GemmShape whole{1000, 512, 256};
  const LearnedRate fast{1e-3, flops(whole)};
  CHECK(next_step(whole, {8, 8}, fast, 200e6).kind == Kind::kMeasure);
  const LearnedRate slow{1.0, flops(whole)};
  const DispatchStep slice = next_step(whole, {8, 8}, slow, 100e6);
  CHECK(slice.kind == Kind::kMeasure);
  CHECK(slice.part == GemmShape{376, 512, 256});
  CHECK(slice.expected_ns <= 100e6);
}

TEST_CASE("a product without work is launched whole") {
  CHECK(next_step({9, 20, 0}, {8, 8}, {}, 200e6).kind == Kind::kMeasure);
}

TEST_CASE(
    "the tile of a work-group follows from its work-items in either order, and stays aligned") {
  const auto tile = [](const char* point) { return group_tile(emit(parse_point(point))); };
  CHECK(tile("tile_m=2 tile_n=4 vector_width=4 work_group_m=8 work_group_n=16").rows == 16);
  CHECK(tile("tile_m=2 tile_n=4 vector_width=4 work_group_m=8 work_group_n=16").columns == 64);
  CHECK(tile("tile_m=2 tile_n=4 vector_width=4 work_group_m=8 work_group_n=16 id_order=mn").rows ==
        16);
  CHECK(tile("op=TN tile_m=1 tile_n=4 vector_width=4 access=aligned").rows % 4 == 0);
}

}  // namespace
}  // namespace tilewright
