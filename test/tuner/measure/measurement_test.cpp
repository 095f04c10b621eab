#include "tuner/measure/measurement.hpp"

#include <algorithm>
#include <limits>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

TEST_CASE("a sample is a plausible time of one launch, however many launches it has") {
  const TestDevice d;
  const auto loaded = load_kernel(d, emit(parse_point("tile_m=4 tile_n=4 vector_width=4")));
  LoadedKernel& kernel = *loaded;
  const Workload small(d.context, Precision::kSingle, Op::kNN, {16, 16, 16}, 1);
  const Workload large(d.context, Precision::kSingle, Op::kNN, {256, 256, 256}, 1);
  // On some drivers the first launch compiles.
  REQUIRE(std::holds_alternative<double>(
      time_kernel(d.executor, d.queue, kernel, small.problem(), 1.0, 0.0)));
  // The minimum of several samples, because a busy machine makes some of them longer.
  const auto min_ns = [&](const Workload& work, double expected_ns) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 10; ++i) {
      const Timed timed =
          time_kernel(d.executor, d.queue, kernel, work.problem(), 1e6, expected_ns);
      REQUIRE(std::holds_alternative<double>(timed));
      least = std::min(least, std::get<double>(timed));
    }
    return least;
  };
  const double short_ns = min_ns(small, 0.0);
  CHECK(short_ns > 0.0);
  CHECK(min_ns(large, 1e5) > short_ns);
}

TEST_CASE("a kernel that cannot be launched is an error, not a time") {
  const TestDevice d;
  KernelRecord record = emit(GemmPoint{});
  record.work_group = {3, 1};  // the kernel requires 1 x 1
  const auto kernel = load_kernel(d, record);
  const Workload workload(d.context, Precision::kSingle, Op::kNN, {8, 8, 8}, 1);
  const Timed timed = time_kernel(d.executor, d.queue, *kernel, workload.problem(), 1e6, 0.0);
  REQUIRE(std::holds_alternative<KernelError>(timed));
  CHECK(std::get<KernelError>(timed).kind == FailureKind::kLaunch);
}

TEST_CASE(
    "the matrices of a workload have the size of the problem for each transpose combination") {
  const TestDevice d;
  const Workload tn(d.context, Precision::kSingle, Op::kTN, {3, 5, 7}, 1);
  CHECK(tn.a().ld == 3);
  CHECK(tn.b().ld == 5);
  CHECK(tn.a().buffer.getInfo<CL_MEM_SIZE>() == 3 * 7 * sizeof(float));
  const Workload nt(d.context, Precision::kSingle, Op::kNT, {3, 5, 7}, 1);
  CHECK(nt.a().ld == 7);
  CHECK(nt.b().ld == 7);
  CHECK(nt.c().ld == 5);
}

}  // namespace
}  // namespace tilewright
