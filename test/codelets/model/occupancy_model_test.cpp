#include "codelets/model/occupancy_model.hpp"

#include "catch.hpp"
#include "codelets/model/expectation.hpp"
#include "codelets/model/score.hpp"
#include "modelled_device.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

GpuFacts midgard() {
  GpuFacts gpu;
  gpu.architecture = "midgard";
  gpu.vector_width = 4;
  gpu.registers = {4, 8, 16};
  gpu.resident_work_items = {256, 128, 64};
  gpu.l1_bytes = 16384;
  gpu.cache_line_bytes = 64;
  return gpu;
}

GpuFacts bifrost() {
  GpuFacts gpu = midgard();
  gpu.architecture = "bifrost";
  gpu.vector_width = 1;
  gpu.registers = {32, 64};
  gpu.resident_work_items = {768, 384};
  return gpu;
}

GemmPoint parsed_gemm(const std::string& text) {
  return std::get<GemmPoint>(parse_point(text));
}

TEST_CASE("resident work-items are as in the Mali-T600 paper, 1.2.2") {
  const int expected[] = {256, 256, 256, 256, 128, 128, 128, 128, 64, 64, 64, 64, 64, 64, 64, 64};
  for (int registers = 1; registers <= 16; ++registers) {
    INFO(registers);
    CHECK(resident_work_items(midgard(), registers) == expected[registers - 1]);
  }
  CHECK(resident_work_items(midgard(), 17) == 0);
  CHECK(resident_work_items(bifrost(), 32) == 768);
  CHECK(resident_work_items(bifrost(), 33) == 384);
  CHECK(resident_work_items(bifrost(), 65) == 0);
}

TEST_CASE("the expected registers include sums, operands and addresses") {
  const std::string tile = "tile_m=4 tile_n=4 vector_width=4";
  // 4 sums, a vector of A, a vector of B, and addresses.
  CHECK(expected_registers(parsed_gemm(tile), midgard()) == 4 + 2 + 2);
  CHECK(expected_residents(parsed_gemm(tile), midgard()) == 128);
  CHECK(expected_registers(parsed_gemm(tile), bifrost()) == 16 + 8 + 8);
  CHECK(expected_residents(parsed_gemm(tile), bifrost()) == 768);
  // A float occupies a whole register.
  CHECK(expected_registers(parsed_gemm("tile_m=2 tile_n=2"), midgard()) == 4 + 1 + 2);
  // The four sums of 2x4x2 form one vector.
  const GemmPoint dot = parsed_gemm("op=NT tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot");
  CHECK(expected_registers(dot, midgard()) == 1 + 4 + 2);
  // More registers than the GPU has: the fewest resident work-items, and a lower expectation.
  const GemmPoint huge = parsed_gemm("tile_m=16 tile_n=16 vector_width=4");
  CHECK(expected_residents(huge, midgard()) == 64);
}

TEST_CASE("models reduce the score of a point by the expected loss") {
  const std::string vectors = "vector_width=4 tile_n=4";
  const std::string group = " work_group_m=8 work_group_n=8";
  const std::string panels = " layout_a=R4x1C layout_b=C1x4R access=aligned";
  const std::string good = vectors + " tile_m=4" + panels;
  const auto share = [](const std::string& text, const GpuFacts& gpu) {
    return expected_share(parsed_gemm(text), gpu);
  };
  CHECK(share(good + group, {}) == 1.0);
  CHECK(share(good + group, midgard()) == 1.0);
  // 64 work-items, although 128 would be enough to hide latencies.
  const std::string taller = vectors + " tile_m=8 layout_a=R8x1C layout_b=C1x4R access=aligned";
  const double fewer = share(taller + group, midgard());
  CHECK(fewer < 1.0);
  CHECK(fewer > 0.5);
  // A work-group of 256 work-items with registers for 128.
  CHECK(share(good + " work_group_m=16 work_group_n=16", midgard()) < fewer);
  // Many streams: 4 panels of A and 64 of B.
  const std::string wide = good + " work_group_m=2 work_group_n=64";
  CHECK(share(wide, midgard()) == Approx(32.0 / 66));
  GpuFacts uncached = bifrost();
  uncached.l1_bytes = 0;
  CHECK(share(wide, uncached) == 1.0);
  // More cache than the GPU has.
  CHECK(share(vectors + " tile_k=4 work_group_n=128", midgard()) <
        share(vectors + " tile_k=4 work_group_m=32 work_group_n=4", midgard()));
  // A barrier in every iteration.
  CHECK(share(good + group + " cache_block_k=4", midgard()) <
        share(good + group + " cache_block_k=128", midgard()));
  DeviceInfo device = modelled_device(4, 32, true, false);
  const ParameterPoint point = parse_point(taller + group);
  const double unknown = expected_score(point, device);
  device.gpu = midgard();
  CHECK(expected_score(point, device) == Approx(unknown * fewer));
}

TEST_CASE("the explanation of the models is readable") {
  const auto lines =
      explain(parsed_gemm("op=NT tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot "
                          "work_group_m=16 work_group_n=8 cache_block_k=128"),
              midgard());
  REQUIRE(lines.size() == 4);
  CHECK_THAT(lines[0], ContainsSubstring("at least 7 registers"));
  CHECK_THAT(lines[1], ContainsSubstring("48 cache lines"));
  CHECK_THAT(lines[2], ContainsSubstring("48 cache lines at once"));
  CHECK_THAT(lines[3], ContainsSubstring("more than 64 k steps"));
}

}  // namespace
}  // namespace tilewright
