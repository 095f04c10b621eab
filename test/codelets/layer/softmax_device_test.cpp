// Tests that softmax kernels compute the softmax of X's rows, write zeros to the padding of Y, and
// write nothing else.
#include "catch.hpp"
#include "layer_case.hpp"

#include <cmath>
#include <limits>

namespace tilewright {
namespace {

// A row in double precision, and the maximum error in single precision: the error of x - largest
// grows with its magnitude; exp() and the division have errors of a few units in the last place,
// the sum one per element.
struct RightRow {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0.0;

  RightRow(HostMatrix& x, std::int64_t row, std::int64_t n) {
    for (std::int64_t j = 0; j < n; ++j) largest = std::max(largest, double{x.at(row, j)});
    for (std::int64_t j = 0; j < n; ++j) sum += std::exp(x.at(row, j) - largest);
  }
  bool accepts_logarithm(double x, float got, std::int64_t n) const {
    const double want = x - largest - std::log(sum);
    // Below the smallest float.
    if (want < -static_cast<double>(std::numeric_limits<float>::max())) return std::isinf(got);
    const double units = std::abs(x - largest) + std::abs(want) + static_cast<double>(n) + 16.0;
    return std::abs(got - want) <= std::ldexp(units, -23);
  }
  bool accepts(double x, float got, std::int64_t n) const {
    const double want = std::exp(x - largest) / sum;
    const double units = std::abs(x - largest) + static_cast<double>(n) + 16.0;
    return std::abs(got - want) <= units * std::ldexp(want, -23) + 2e-38;
  }
};

void check_softmax(const TestDevice& d, const cl::Kernel& kernel, const KernelRecord& record,
                   std::int64_t m, std::int64_t n, float scale, std::mt19937& random) {
  LayerCase test(m, n, random() % 3 == 0, random() % 2 == 0, random);
  std::uniform_real_distribution<float> value(-1.0f, 1.0f);
  test.fill([&](std::int64_t, std::int64_t) { return value(random) * scale; });
  const std::vector<float> got = test.run(d, kernel, record, {test.padded_m, 1});
  INFO(record.point << ", " << m << " x " << n << " padded to " << test.padded_m << " x "
                    << test.padded_n << ", up to " << scale << (test.in_place ? ", in place" : ""));
  std::vector<RightRow> rows;
  for (std::int64_t i = 0; i < m; ++i) rows.emplace_back(test.x, i, n);
  CHECK(test.wrong(got, [&](std::int64_t i, std::int64_t j, float y) {
    const RightRow& row = rows[static_cast<std::size_t>(i)];
    return record.activation == Activation::kLogSoftmax
               ? row.accepts_logarithm(test.x.at(i, j), y, n)
               : row.accepts(test.x.at(i, j), y, n);
  }) == "");
}

TEST_CASE("softmax kernels of random points", "[full]") {
  const TestDevice d;
  std::mt19937 random(21);
  for (int i = 0; i < points_to_try(24); ++i) {
    const auto point =
        random_point<SoftmaxPoint>(random, Codelet::kSoftmax, test_limits(d), [](SoftmaxPoint&) {});
    const KernelRecord record = emit(point);
    const cl::Kernel kernel = build(d, record.source, record.entry);
    for (const float scale : {1.0f, 30.0f, 3e38f}) {
      const std::int64_t n = std::max<std::int64_t>(1, awkward_extent(random));
      check_softmax(d, kernel, record, awkward_extent(random), n, scale, random);
    }
  }
}

TEST_CASE("softmax of one column is 1, and of large equal values equal fractions") {
  const TestDevice d;
  std::mt19937 random(22);
  for (const char* text :
       {"softmax", "softmax vector_width=4", "softmax work_group_n=16",
        "softmax vector_width=4 work_group_m=2 work_group_n=8", "softmax work_group_m=8"}) {
    const auto point = std::get<SoftmaxPoint>(parse_point(text));
    const KernelRecord record = emit(point);
    const cl::Kernel kernel = build(d, record.source, record.entry);
    INFO(text);
    for (const float large : {-3e38f, -1e4f, 0.0f, 1e4f, 3e38f}) {
      LayerCase one(5, 1, false, true, random);
      one.fill([&](std::int64_t, std::int64_t) { return large; });
      CHECK(one.wrong(one.run(d, kernel, record, {one.padded_m, 1}),
                      [](std::int64_t, std::int64_t, float y) { return y == 1.0f; }) == "");
      LayerCase four(3, 4, false, false, random);
      four.fill([&](std::int64_t, std::int64_t) { return large; });
      CHECK(four.wrong(four.run(d, kernel, record, {four.padded_m, 1}),
                       [](std::int64_t, std::int64_t, float y) { return y == 0.25f; }) == "");
    }
  }
}

TEST_CASE("a NaN affects only its own row") {
  const TestDevice d;
  std::mt19937 random(23);
  for (const char* text : {"softmax vector_width=2", "softmax work_group_m=2 work_group_n=4"}) {
    const auto point = std::get<SoftmaxPoint>(parse_point(text));
    LayerCase test(3, 9, false, false, random);
    test.fill([](std::int64_t i, std::int64_t j) { return i == 1 && j == 6 ? kNaN : 1.0f; });
    const KernelRecord record = emit(point);
    const cl::Kernel kernel = build(d, record.source, record.entry);
    INFO(text);
    CHECK(test.wrong(test.run(d, kernel, record, {test.padded_m, 1}),
                     [](std::int64_t i, std::int64_t, float y) {
                       return i == 1 ? std::isnan(y) : std::abs(y - 1.0f / 9.0f) < 1e-6f;
                     }) == "");
  }
}

}  // namespace
}  // namespace tilewright
