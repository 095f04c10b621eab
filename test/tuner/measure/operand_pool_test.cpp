// Tests that pooled operands have the sizes and layouts that kernels require.
#include "tuner/measure/operand_pool.hpp"

#include <set>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "test_device.hpp"
#include "tuner/measure/measurement.hpp"

namespace tilewright {
namespace {

std::size_t memory_bytes(const cl::Memory& memory) {
  return memory.getInfo<CL_MEM_SIZE>();
}

const Pooled<GemmProblem>& pooled(const PooledGemm& got) {
  const auto* kernel_error = std::get_if<KernelError>(&got);
  INFO((kernel_error == nullptr ? "" : kernel_error->reason));
  REQUIRE(kernel_error == nullptr);
  return std::get<Pooled<GemmProblem>>(got);
}

TEST_CASE("operands read in place have the caller's leading dimension, packed ones their own") {
  const TestDevice d;
  OperandPool pool(d.executor, d.queue, 1);
  const KernelRecord plain = emit(parse_point("op=TN tile_n=4 vector_width=4"));
  const PooledGemm in_place = pool.product(plain, {33, 35, 37});
  CHECK(pooled(in_place).problem.a.ld == 33);
  CHECK(pooled(in_place).problem.b.ld == 35);
  CHECK(pooled(in_place).problem.c.ld == 35);
  CHECK(pooled(in_place).problem.beta == 0.0f);
  const KernelRecord packed =
      emit(parse_point("layout_a=R8x1C layout_b=C1x16R tile_m=8 tile_n=16 vector_width=16"));
  const PooledGemm tiles = pool.product(packed, {33, 35, 37});
  CHECK(pooled(tiles).problem.a.ld == storage_a(packed, {33, 35, 37}).ld);
  CHECK(memory_bytes(pooled(tiles).memory[0]) >=
        storage_a(packed, {33, 35, 37}).elements * sizeof(float));
}

TEST_CASE("operands are laid out as by pack kernels, and an unsupported shape is an error") {
  const TestDevice d;
  OperandPool pool(d.executor, d.queue, 1);
  KernelRecord aligned = emit(parse_point("tile_m=4 tile_n=4 vector_width=4 access=aligned"));
  const PooledGemm odd = pool.product(aligned, {33, 35, 37});
  CHECK(pooled(odd).problem.a.ld == 40);
  CHECK(pooled(odd).problem.b.ld == 36);
  // Older profiles contain kernels that cannot write every C.
  aligned.any_c = false;
  CHECK(std::holds_alternative<KernelError>(pool.product(aligned, {33, 35, 37})));
  pooled(pool.product(aligned, {32, 36, 40}));
}

TEST_CASE(
    "buffers are reused for smaller shapes, grow for larger ones, and contain random numbers") {
  const TestDevice d;
  OperandPool pool(d.executor, d.queue, 1);
  const KernelRecord record = emit(parse_point("op=NN"));
  // Larger than the array of random values.
  const PooledGemm large = pool.product(record, {700, 300, 2500});
  const PooledGemm small = pool.product(record, {10, 20, 30});
  CHECK(pooled(large).problem.a.buffer == pooled(small).problem.a.buffer);
  const PooledGemm larger = pool.product(record, {900, 300, 2500});
  CHECK(pooled(larger).problem.a.buffer != pooled(large).problem.a.buffer);
  // The smaller buffer remains valid for its users.
  CHECK(memory_bytes(pooled(large).memory[0]) >= 700 * 2500 * sizeof(float));
  const std::vector<float> floats =
      download(d.queue, cl::Buffer(pooled(larger).problem.a.buffer, true));
  double sum = 0.0;
  double squares = 0.0;
  for (const float value : floats) {
    REQUIRE(std::abs(value) <= 1.0f);
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const auto count = static_cast<double>(floats.size());
  CHECK(std::abs(sum / count) < 0.01);
  CHECK(std::abs(squares / count - 1.0 / 3.0) < 0.01);
}

TEST_CASE("the relative addresses of operands differ from pool to pool") {
  const TestDevice d;
  const KernelRecord record = emit(parse_point("op=NN"));
  std::set<std::size_t> sizes;
  for (int i = 0; i < 8; ++i) {
    OperandPool pool(d.executor, d.queue, 1);
    sizes.insert(memory_bytes(pooled(pool.product(record, {64, 64, 64})).memory[0]));
  }
  CHECK(sizes.size() > 1);
  CHECK(*sizes.rbegin() - *sizes.begin() < 64 * 4096);
}

TEST_CASE("a shape that is too large for the memory is an error, and the pool remains usable") {
  const TestDevice d;
  OperandPool pool(d.executor, d.queue, 1);
  const KernelRecord record = emit(parse_point("op=NN"));
  const PooledGemm huge = pool.product(record, {1 << 30, 1 << 30, 1 << 30});
  REQUIRE(std::holds_alternative<KernelError>(huge));
  CHECK(std::get<KernelError>(huge).kind == FailureKind::kLimits);
  pooled(pool.product(record, {8, 8, 8}));
}

TEST_CASE("images are created by size and kept") {
  const TestDevice d;
  if (d.device.getInfo<CL_DEVICE_IMAGE_SUPPORT>() == CL_FALSE)
    SKIP_CASE("the device does not support images");
  OperandPool pool(d.executor, d.queue, 1);
  const KernelRecord record = emit(parse_point(
      "image_a=yes image_b=yes tile_m=4 tile_n=4 tile_k=4 vector_width=4 edges=padded"));
  const PooledGemm first = pool.product(record, {64, 64, 64});
  CHECK(pooled(first).problem.a.buffer != pooled(first).problem.b.buffer);
  for (int m = 1; m <= 2; ++m) pooled(pool.product(record, {64 * m, 64 * m, 64 * m}));
  CHECK(pooled(pool.product(record, {64, 64, 64})).problem.a.buffer ==
        pooled(first).problem.a.buffer);
  for (int m = 1; m <= 9; ++m) pooled(pool.product(record, {64 * m, 64 * m, 64 * m}));
}

TEST_CASE("a packing goes from the plain matrix to the layout that the kernel reads") {
  const TestDevice d;
  OperandPool pool(d.executor, d.queue, 1);
  const KernelRecord gemm =
      emit(parse_point("layout_a=R8x1C layout_b=C1x16R tile_m=8 tile_n=16 vector_width=16"));
  const KernelRecord pack_a = emit(parse_point("pack from=C to=R8x1C"));
  const PooledPack a = pool.packing(pack_a, PooledOperand::kA, gemm, {33, 35, 37});
  REQUIRE(std::holds_alternative<Pooled<PackProblem>>(a));
  const PackProblem& problem = std::get<Pooled<PackProblem>>(a).problem;
  CHECK(problem.rows == 33);
  CHECK(problem.columns == 37);
  CHECK(problem.padded_rows == 40);
  CHECK(problem.from.ld == 33);
  CHECK(problem.to.ld == storage_a(gemm, {33, 35, 37}).ld);
  // It packs, but not into the layout that the kernel reads as B.
  CHECK(std::holds_alternative<KernelError>(
      pool.packing(pack_a, PooledOperand::kB, gemm, {33, 35, 37})));
  const KernelRecord pack_b = emit(parse_point("pack from=R to=C1x16R"));
  CHECK(std::holds_alternative<Pooled<PackProblem>>(
      pool.packing(pack_b, PooledOperand::kB, gemm, {33, 35, 37})));
}

}  // namespace
}  // namespace tilewright
