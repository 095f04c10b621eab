#include "runtime/check/check_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilewright {
namespace {

// Largest elements of X. exp() of the first overflows single precision. Powers of two: the product
// of a half-precision number and a power of two is exact.
constexpr float kLargestOfSoftmax = 128.0f;
constexpr float kLargestOfActivation = 4.0f;

constexpr double kSmallestFloat = std::numeric_limits<float>::min();

double uniform_element(Precision precision, std::mt19937& random) {
  if (precision == Precision::kDouble) {
    return std::uniform_real_distribution<double>(-1.0, 1.0)(random);
  }
  if (precision == Precision::kHalf) {
    // All multiples of 1 / kSteps in [-1, 1] are half-precision numbers.
    constexpr int kSteps = 1 << 11;
    return std::uniform_int_distribution(-kSteps, kSteps)(random) / double{kSteps};
  }
  return static_cast<double>(std::uniform_real_distribution<float>(-1.0f, 1.0f)(random));
}

template <class Element>
std::vector<double> matrix_of(std::int64_t rows, std::int64_t columns, const Element& element) {
  std::vector<double> matrix(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  std::generate(matrix.begin(), matrix.end(), element);
  return matrix;
}

// Elements -1, 0 or 1. Their products, and sums of up to 2048 of them, are exact in every
// precision, so that rounding cannot hide a missing step.
std::vector<double> whole_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random) {
  return matrix_of(rows, columns, [&] { return std::uniform_int_distribution(-1, 1)(random); });
}

// Adds NaN and infinity: one row of C gets NaN from A, another row and a column get infinities, and
// one element gets NaN from C.
void add_nonfinite(CaseData& data, const GemmShape& shape) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto element = [](std::vector<double>& matrix, std::int64_t ld, std::int64_t i,
                          std::int64_t j) -> double& {
    return matrix[static_cast<std::size_t>(i * ld + j)];
  };
  data.a[0] = kInfinity;
  // In another row, because the first one has an infinity.
  if (shape.m > 1) element(data.a, shape.k, shape.m / 2, shape.k / 2) = surrounding_nan();
  data.b.back() = -kInfinity;
  element(data.c, shape.n, shape.m - 1, 0) = surrounding_nan();
}

// The softmax of a row, or its logarithm. The relative error of x - largest grows with its
// magnitude; exp() and the division have errors of a few units in the last place, the sum one for
// each element. In half precision, the values that are kept in Y before the division are rounded,
// too.
void append_softmax(std::vector<ProductElement>& elements, std::span<const double> row,
                    const KernelRecord& record) {
  const bool logarithm = record.activation == Activation::kLogSoftmax;
  const double largest = *std::max_element(row.begin(), row.end());
  const double sum = std::accumulate(row.begin(), row.end(), 0.0, [&](double before, double x) {
    return before + std::exp(x - largest);
  });
  for (const double x : row) {
    const double below = x - largest;
    double units = std::abs(below) + static_cast<double>(row.size()) + 16.0;
    ProductElement element{logarithm ? below : std::exp(below)};
    if (stores_half(record)) round_to_half(element);
    if (logarithm) {
      element.value -= std::log(sum);
      units += std::abs(element.value);
      element.bound += std::ldexp(units, -23);
    } else {
      element.value /= sum;
      element.bound /= sum;
      element.bound += units * std::ldexp(element.value, -23) + 2.0 * kSmallestFloat;
    }
    if (stores_half(record)) round_to_half(element);
    elements.push_back(element);
  }
}

std::vector<ProductElement> expected_results(const CheckCase& test, const KernelRecord& record,
                                             const CaseData& data) {
  const Precision sums = sum_precision(record.precision);
  const auto& [m, n, k] = test.shape;
  if (is_product(record.role)) {
    return host_product(test.shape, test.alpha, data.a, data.b, test.beta, data.c, sums);
  }
  if (record.role == Role::kReduce) {
    // A sum of parts is a product of a row of ones and a matrix with one row for each part.
    const std::vector<double> ones(static_cast<std::size_t>(k), 1.0);
    return host_product({1, m * n, k}, test.alpha, ones, data.a, test.beta, data.c, sums);
  }
  std::vector<ProductElement> elements;
  if (record.role == Role::kSoftmax) {
    const std::span<const double> x(data.a);
    const auto columns = static_cast<std::size_t>(n);
    for (std::size_t row = 0; row < x.size(); row += columns) {
      append_softmax(elements, x.subspan(row, columns), record);
    }
    return elements;
  }
  // Copies are exact.
  const double bound = record.role == Role::kPack ? 0.0 : kSmallestFloat;
  for (const double x : data.a) elements.push_back({x, bound});
  return elements;
}

}  // namespace

double surrounding_nan() {
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> random_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random,
                                  Precision precision) {
  return matrix_of(rows, columns, [&] { return uniform_element(precision, random); });
}

CaseData make_data(const CheckCase& test, const KernelRecord& record) {
  const auto& [m, n, k] = test.shape;
  std::mt19937 random(1);
  const auto operand = [&](std::int64_t rows, std::int64_t columns, Precision precision) {
    return test.data == CheckData::kWhole ? whole_matrix(rows, columns, random)
                                          : random_matrix(rows, columns, random, precision);
  };
  CaseData data;
  if (is_product(record.role)) {
    data.a = operand(m, k, record.precision);
    data.b = operand(k, n, record.precision);
  } else {
    const bool adds = record.role == Role::kReduce;
    data.a = operand(k * m, n, adds ? sum_precision(record.precision) : record.precision);
  }
  data.c = random_matrix(m, n, random, record.precision);
  if (test.data == CheckData::kNonfinite) add_nonfinite(data, test.shape);
  const bool softmax = record.role == Role::kSoftmax;
  if (softmax || record.role == Role::kActivation) {
    const float largest = softmax ? kLargestOfSoftmax : kLargestOfActivation;
    for (double& x : data.a) x = static_cast<float>(x) * largest;
  }
  data.expected = expected_results(test, record, data);
  return data;
}

const CaseData& Products::get(const CheckCase& test, const KernelRecord& record) {
  const auto& [m, n, k] = test.shape;
  const Key key{record.precision, m, n, k, test.alpha, test.beta, test.data};
  const auto known = products_.find(key);
  if (known != products_.end()) return known->second;
  return products_.emplace(key, make_data(test, record)).first->second;
}

}  // namespace tilewright
