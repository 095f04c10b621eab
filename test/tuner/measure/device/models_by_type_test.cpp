// Tests whether the models take into account the size and the speed of a point's element type.
#include "catch.hpp"
#include "codelets/model/expectation.hpp"
#include "codelets/model/occupancy_model.hpp"
#include "codelets/model/score.hpp"
#include "modelled_device.hpp"
#include "tuner/measure/device/limits_file.hpp"

namespace tilewright {
namespace {

GpuFacts midgard() {
  return read_device("mali-t860").gpu;
}

GpuFacts bifrost() {
  return read_device("mali-g52").gpu;
}

GemmPoint gemm(const std::string& text) {
  return std::get<GemmPoint>(parse_point(text));
}

double score(const std::string& point, const DeviceInfo& device) {
  return expected_score(parse_point(point), device);
}

TEST_CASE("a double needs the registers of two floats, and a cache line holds half as many") {
  const std::string tile = "tile_m=4 tile_n=4 vector_width=4";
  // 8 sums, 2 vectors of A, 2 of B, and addresses: twice as many as in single precision.
  CHECK(expected_registers(gemm(tile + " precision=d"), midgard()) == 8 + 4 + 2);
  CHECK(expected_residents(gemm(tile + " precision=d"), midgard()) == 64);
  CHECK(expected_registers(gemm(tile + " precision=d"), bifrost()) == 32 + 16 + 8);
  // Two doubles fill a register of four floats, so a single one wastes half of it.
  CHECK(expected_registers(gemm("tile_m=2 tile_n=2 precision=d"), midgard()) == 4 + 2 + 2);
  // Half-precision values are converted to single precision when they are read.
  CHECK(expected_registers(gemm(tile + " precision=h"), midgard()) ==
        expected_registers(gemm(tile), midgard()));
  GpuFacts gpu = bifrost();
  gpu.registers = {1000};  // the same number of work-items for all
  gpu.resident_work_items = {64};
  const std::string rows = tile + " work_group_m=8 work_group_n=8";
  const auto footprint = [&](const char* type) { return expect(gemm(rows + type), gpu).footprint; };
  CHECK(footprint(" precision=d").k_steps == footprint("").k_steps / 2);
  CHECK(footprint(" precision=h").k_steps == footprint("").k_steps * 2);
}

TEST_CASE("vectors and registers hold half as many doubles as floats") {
  const DeviceInfo cpu = modelled_device(16, 1, false, true, 32);
  const std::string tile = "tile_m=8 tile_n=16 vector_width=16";
  // The same as with vectors of half the width.
  const DeviceInfo narrow = modelled_device(8, 1, false, true, 32);
  CHECK(score(tile + " precision=d", cpu) == Approx(score(tile, narrow)));
  CHECK(score(tile + " precision=h", cpu) == score(tile, cpu));
  // 8 vectors of sums fit; 16 vectors of doubles are twice as many as there are registers.
  const DeviceInfo few = modelled_device(16, 1, false, true, 8);
  CHECK(score(tile + " precision=d", few) < 0.6 * score(tile, few));
  const std::string dots =
      "gemv op=NT narrow=n tile_narrow=4 tile_wide=4 tile_k=16 vector_width=16";
  CHECK(score(dots + " precision=d", cpu) == Approx(score(dots, narrow)));
}

TEST_CASE("a GPU with slow double precision gains less from fewer loads") {
  const DeviceInfo floats_alone = modelled_device(1, 32, true, true);
  DeviceInfo gpu = floats_alone;
  const std::string small = "tile_m=2 tile_n=2 work_group_n=32 precision=d";
  const std::string large = "tile_m=4 tile_n=4 work_group_n=32 precision=d";
  const auto gain = [&] { return score(large, gpu) / score(small, gpu); };
  const double unknown = gain();
  gpu.gpu.fma_per_clock = 64;
  CHECK(gain() == unknown);
  gpu.gpu.double_fma_per_clock = 4;
  CHECK(gain() < 0.8 * unknown);
  CHECK(gain() > 1.0);
  // Single precision is unaffected, and half-precision products are summed in single precision.
  gpu.gpu.half_fma_per_clock = 128;
  for (const char* type : {"", " precision=h"}) {
    CHECK(score("tile_m=4 tile_n=4 work_group_n=32" + std::string(type), gpu) ==
          score("tile_m=4 tile_n=4 work_group_n=32", floats_alone));
  }
}

TEST_CASE(
    "the smaller number of doubles per vector is counted once, by the width used for instructions") {
  const std::string tile = "tile_m=4 tile_n=4 vector_width=4 work_group_n=32";
  const auto doubles = [&](int native_width, int gpu_width, int fma) {
    DeviceInfo device = modelled_device(native_width, 32, true, true);
    device.gpu.vector_width = gpu_width;
    device.gpu.fma_per_clock = 8;
    device.gpu.double_fma_per_clock = fma;
    return score(tile + " precision=d", device);
  };
  // Half as many per clock because vectors hold half as many: no further loss.
  for (const int gpu_width : {1, 4}) CHECK(doubles(4, gpu_width, 4) == doubles(4, gpu_width, 0));
  // If the driver reports no vectors: the same number of instructions, which take twice as long.
  for (const int gpu_width : {1, 4}) CHECK(doubles(1, gpu_width, 4) < doubles(1, gpu_width, 8));
}

TEST_CASE(
    "points with half-precision sums are as fast as the GPU is known to be in half precision") {
  const std::string tile = "tile_m=4 tile_n=4 vector_width=4 work_group_n=32 precision=h";
  DeviceInfo device = modelled_device(4, 32, true, true);
  const auto gain = [&] { return score(tile + " accumulate_k=8", device) / score(tile, device); };
  const double unknown = gain();
  device.gpu.fma_per_clock = 8;
  CHECK(gain() == unknown);
  device.gpu.half_fma_per_clock = 8;
  CHECK(gain() == Approx(unknown));
  device.gpu.half_fma_per_clock = 16;
  CHECK(gain() > 1.1 * unknown);
}

}  // namespace
}  // namespace tilewright
