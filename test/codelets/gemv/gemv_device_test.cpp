// Tests that gemv kernels compute the narrow products that their records support.
#include "catch.hpp"
#include "text/epilogue_case.hpp"

namespace tilewright {
namespace {

void check_gemv(const TestDevice& d, const GemvPoint& point, std::int64_t wide, std::int64_t narrow,
                std::int64_t k, std::mt19937& random) {
  const KernelRecord record = emit(point);
  const bool narrow_n = point.narrow == Dimension::kN;
  const std::int64_t m = narrow_n ? wide : narrow;
  const std::int64_t n = narrow_n ? narrow : wide;
  Epilogued e(point.bias, point.activation, m, n, random);
  const auto some = [&] { return static_cast<std::int64_t>(random() % 7); };
  HostMatrix a(point.layout_a, m, k, some(), some());
  HostMatrix b(point.layout_b, k, n, some(), some());
  HostMatrix c(Layout::R(), m, n, some(), some(), 64);
  a.fill(random);
  b.fill(random);
  if (e.beta != 0.0f) c.fill(random);
  const cl::Buffer a_buffer = upload(d, a.data);
  const cl::Buffer b_buffer = upload(d, b.data);
  const cl::Buffer c_buffer = upload(d, c.data);
  launch_with_epilogue(d, record, e, m, n, static_cast<int>(m), static_cast<int>(n),
                       static_cast<int>(k), e.alpha, a_buffer, static_cast<cl_ulong>(a.offset),
                       static_cast<int>(a.ld), b_buffer, static_cast<cl_ulong>(b.offset),
                       static_cast<int>(b.ld), e.beta, c_buffer, static_cast<cl_ulong>(c.offset),
                       static_cast<int>(c.ld));
  INFO(record.point << ", " << m << " x " << n << " x " << k << ", alpha " << e.alpha << ", beta "
                    << e.beta);
  CHECK(e.wrong(c, download(d, c_buffer), [&](std::int64_t i, std::int64_t j, float old) {
    double sum = 0.0;
    double magnitude = 0.0;
    for (std::int64_t p = 0; p < k; ++p) {
      const double product = static_cast<double>(a.at(i, p)) * b.at(p, j);
      sum += product;
      magnitude += std::abs(product);
    }
    return e.result(sum, magnitude, k, old, i, j);
  }) == "");
}

TEST_CASE("gemv kernels of random points", "[full]") {
  const TestDevice d;
  std::mt19937 random(8);
  for (int i = 0; i < points_to_try(48); ++i) {
    const auto point =
        random_point<GemvPoint>(random, Codelet::kGemv, test_limits(d), [](GemvPoint& p) {
          // Emulated fma() is slow, and so is fma() in oclgrind.
          if (p.multiply_add == MultiplyAdd::kFma && p.tile_narrow > 4) {
            p.multiply_add = MultiplyAdd::kMad;
          }
        });
    for (int shape = 0; shape < 3; ++shape) {
      const auto least = static_cast<std::int64_t>(random() % 2);
      const auto narrow = std::max<std::int64_t>(
          least, static_cast<std::int64_t>(random()) % (point.tile_narrow + 1));
      check_gemv(d, point, awkward_extent(random), narrow, awkward_extent(random) * (1 + shape),
                 random);
    }
  }
}

}  // namespace
}  // namespace tilewright
