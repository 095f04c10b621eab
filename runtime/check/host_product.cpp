#include "runtime/check/host_product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright {
namespace {

// A sum of products with compensation for rounding errors: algorithm Dot2.
class Sum {
 public:
  void add(double a, double b) {
    const double product = a * b;
    const double sum = sum_ + product;
    const double part = sum - sum_;
    lost_ += std::fma(a, b, -product) + ((sum_ - (sum - part)) + (product - part));
    sum_ = sum;
  }
  // Infinite and NaN sums need no compensation.
  double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0.0;
  double lost_ = 0.0;
};

}  // namespace

void round_to_half(ProductElement& element) {
  constexpr double kInfinite = 65520.0;
  const double size = std::abs(element.value);
  element.bound += std::max(std::ldexp(size + element.bound, -11), std::ldexp(1.0, -25));
  if (size >= kInfinite) {
    element.value = std::copysign(std::numeric_limits<double>::infinity(), element.value);
  }
}

ProductElement with_half_sums(ProductElement element, int steps, std::int64_t k, double alpha) {
  if (steps == 0) return element;
  const double depth = static_cast<double>(std::min<std::int64_t>(steps, k));
  element.bound += (depth + 1) * std::ldexp(element.magnitude, -11) +
                   std::ldexp(2 * static_cast<double>(k) * std::abs(alpha), -14);
  return element;
}

bool stores_half(const KernelRecord& record) {
  return record.precision == Precision::kHalf && record.split_k == 1;
}

std::vector<ProductElement> host_product(const GemmShape& shape, double alpha,
                                         const std::vector<double>& a, const std::vector<double>& b,
                                         double beta, const std::vector<double>& c,
                                         Precision precision) {
  const bool single = sum_precision(precision) == Precision::kSingle;
  const std::int64_t own = single ? 0 : 3;  // roundings in the computation of this reference value
  const double nu = static_cast<double>(shape.k + 3 + own) * std::ldexp(1.0, single ? -24 : -53);
  const double smallest = single ? static_cast<double>(std::numeric_limits<float>::min())
                                 : std::numeric_limits<double>::min();
  const auto columns = static_cast<std::size_t>(shape.n);
  std::vector<ProductElement> elements;
  for (std::int64_t i = 0; i < shape.m; ++i) {
    std::vector<double> sums(columns);  // of floats, whose products are exact in double precision
    std::vector<Sum> exact(columns);
    std::vector<double> magnitudes(columns);
    for (std::int64_t p = 0; alpha != 0.0 && p < shape.k; ++p) {
      const double x = a[static_cast<std::size_t>(i * shape.k + p)];
      const double* y = &b[static_cast<std::size_t>(p) * columns];
      if (single) {
        for (std::size_t j = 0; j < columns; ++j) sums[j] += x * y[j];
      } else {
        for (std::size_t j = 0; j < columns; ++j) exact[j].add(x, y[j]);
      }
      for (std::size_t j = 0; j < columns; ++j) magnitudes[j] += std::abs(x * y[j]);
    }
    for (std::size_t j = 0; j < columns; ++j) {
      ProductElement& element = elements.emplace_back();
      if (alpha != 0.0) element.value = alpha * (single ? sums[j] : exact[j].value());
      element.magnitude = magnitudes[j] * std::abs(alpha);
      double magnitude = element.magnitude;
      if (beta != 0.0) {
        const double scaled = beta * c[static_cast<std::size_t>(i) * columns + j];
        element.value += scaled;
        magnitude += std::abs(scaled);
      }
      element.bound = nu / (1.0 - nu) * magnitude + smallest;
      if (precision == Precision::kHalf) round_to_half(element);
    }
  }
  return elements;
}

ProductElement with_epilogue(ProductElement element, Dimension bias_along, double bias,
                             Activation activation, const ActivationArguments& arguments) {
  constexpr double kUlp = 1.0 / (1 << 23);
  if (bias_along != Dimension::kNone) {
    element.value += bias;
    element.bound += 2 * kUlp * (std::abs(element.value) + 1.0);
  }
  const ActivationDescription& applied = describe_activation(activation);
  element.value = activated(activation, element.value, arguments);
  element.bound *= applied.max_slope;
  if (applied.own_ulps > 0) {
    element.bound += applied.own_ulps * kUlp * (std::abs(element.value) + 0.125);
  }
  return element;
}

}  // namespace tilewright
