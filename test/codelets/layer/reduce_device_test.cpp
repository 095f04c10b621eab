// Tests that reduce kernels add up parts and write nothing else.
#include "catch.hpp"
#include "text/epilogue_case.hpp"

namespace tilewright {
namespace {

void check_reduce(const TestDevice& d, const ReducePoint& point, std::mt19937& random) {
  const KernelRecord record = emit(point);
  const auto m = static_cast<int>(awkward_extent(random));
  const auto n = static_cast<int>(awkward_extent(random));
  const int parts = 1 + static_cast<int>(random() % 5);
  Epilogued e(point.bias, point.activation, m, n, random);
  const auto some = [&] { return static_cast<std::int64_t>(random() % 7); };
  HostMatrix in(Layout::R(), static_cast<std::int64_t>(m) * parts, n, some(), some());
  in.fill(random);
  HostMatrix c(Layout::R(), m, n, some(), some(), 64);
  if (e.beta != 0.0f) c.fill(random);
  const cl::Buffer in_buffer = upload(d, in.data);
  const cl::Buffer c_buffer = upload(d, c.data);
  launch_with_epilogue(d, record, e, m, n, m, n, parts, e.alpha, in_buffer,
                       static_cast<cl_ulong>(in.offset), static_cast<int>(in.ld), e.beta, c_buffer,
                       static_cast<cl_ulong>(c.offset), static_cast<int>(c.ld));
  INFO(record.point << ", " << m << " x " << n << ", " << parts << " parts, alpha " << e.alpha
                    << ", beta " << e.beta);
  CHECK(e.wrong(c, download(d, c_buffer), [&](std::int64_t i, std::int64_t j, float old) {
    double sum = 0.0;
    double magnitude = 0.0;
    for (int z = 0; z < parts; ++z) {
      sum += in.at(z * m + i, j);
      magnitude += std::abs(in.at(z * m + i, j));
    }
    return e.result(sum, magnitude, parts, old, i, j);
  }) == "");
}

TEST_CASE("reduce kernels of random points", "[full]") {
  const TestDevice d;
  std::mt19937 random(9);
  for (int i = 0; i < points_to_try(24); ++i) {
    const auto point =
        random_point<ReducePoint>(random, Codelet::kReduce, test_limits(d), [](ReducePoint&) {});
    for (int shape = 0; shape < 3; ++shape) check_reduce(d, point, random);
  }
}

}  // namespace
}  // namespace tilewright
