// Tests properties that only half precision has.
#include <cmath>
#include <limits>

#include "blas_case.hpp"
#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("half precision: denormals, ties to even, infinity, NaN") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  // b contains ones, so each element of C is the sum of a row of A.
  const float denormal = std::ldexp(1.0f, -24);  // the smallest half-precision number
  const float lines[][3] = {
      {3 * denormal, 1, 4 * denormal},  // denormals are read and written
      {2048, 1, 2048},                  // half-way between 2048 and 2050: rounded to even
      {2050, 1, 2052},                  // half-way between 2050 and 2052: rounded to even
      {60000, 5504, 65504},             // the largest half-precision number
      {60000, 60000, infinity},         // overflow
      {-60000, -60000, -infinity},
      {infinity, 1, infinity},
      {nan, 1, nan},
  };
  constexpr std::size_t kLines = std::size(lines);
  std::vector<Half> a;
  for (const auto& line : lines) {
    a.push_back(Half(line[0]));
    a.push_back(Half(line[1] == 1 && line[0] < 1 ? denormal : line[1]));
  }
  const std::vector<Half> ones(2, Half(1.0f));
  const auto buffer = [&](const std::vector<Half>& elements) {
    return upload(d, StoredMatrixOf<Half>{elements.size(), 1, 0, 1, elements});
  };
  Matrix left = buffer(a);
  left.ld = 2;
  const Matrix c = buffer(std::vector<Half>(kLines, Half(nan)));
  const GemmCall call{.m = kLines, .n = 1, .k = 2, .type = ElementType::kHalf};
  const cl::Event done = library->gemm(d.queue, call, left, buffer(ones), c);
  const std::vector<Half> got = download<Half>(d, c, {done});
  for (std::size_t i = 0; i < kLines; ++i) {
    INFO(i << ": " << float{got[i]} << " instead of " << lines[i][2]);
    CHECK((float{got[i]} == lines[i][2] || (std::isnan(lines[i][2]) && std::isnan(float{got[i]}))));
  }
}

}  // namespace
}  // namespace tilewright
