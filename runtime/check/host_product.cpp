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

ProductElement host_complex_product(Op op, const GemmShape& shape, const HostOperand& a,
                                    const HostOperand& b, std::int64_t i, std::int64_t j,
                                    bool imaginary, Precision precision) {
  const bool a_transposed = op_layout_a(op) == Layout::C();
  const bool b_transposed = op_layout_b(op) == Layout::C();
  const auto parts = [](const HostOperand& matrix, std::int64_t row, std::int64_t column) {
    return &matrix.data[2 * (matrix.offset + static_cast<std::size_t>(row) * matrix.ld +
                             static_cast<std::size_t>(column))];
  };
  Sum sum;
  double magnitude = 0.0;
  for (std::int64_t p = 0; p < shape.k; ++p) {
    const double* x = a_transposed ? parts(a, p, i) : parts(a, i, p);
    const double* y = b_transposed ? parts(b, j, p) : parts(b, p, j);
    const double with_real = imaginary ? y[1] : y[0];
    const double with_imaginary = imaginary ? y[0] : -y[1];
    sum.add(x[0], with_real);
    sum.add(x[1], with_imaginary);
    magnitude += std::abs(x[0] * with_real) + std::abs(x[1] * with_imaginary);
  }
  const bool single = precision == Precision::kSingle;
  const double nu = static_cast<double>(2 * shape.k + 8) * std::ldexp(1.0, single ? -24 : -53);
  return {sum.value(), nu / (1.0 - nu) * magnitude + (single ? std::numeric_limits<float>::min()
                                                             : std::numeric_limits<double>::min())};
}

bool stores_half(const KernelRecord& record) {
  return record.precision == Precision::kHalf && record.split_k == 1;
}

std::vector<ProductElement> host_product_row(Op op, const GemmShape& shape, double alpha,
                                             const HostOperand& a, const HostOperand& b,
                                             double beta, const HostOperand& c, std::int64_t i,
                                             std::int64_t first, std::int64_t count,
                                             Precision precision) {
  const bool a_transposed = op_layout_a(op) == Layout::C();
  const bool b_transposed = op_layout_b(op) == Layout::C();
  const auto at = [](const HostOperand& matrix, std::int64_t row, std::int64_t column) {
    return &matrix.data[matrix.offset + static_cast<std::size_t>(row) * matrix.ld +
                        static_cast<std::size_t>(column)];
  };
  const bool single = sum_precision(precision) == Precision::kSingle;
  const auto columns = static_cast<std::size_t>(count);
  const std::size_t step = b_transposed ? b.ld : 1;
  std::vector<double> sums(columns);  // of floats, whose products are exact in double precision
  std::vector<Sum> exact(columns);
  std::vector<double> magnitudes(columns);
  for (std::int64_t p = 0; alpha != 0.0 && p < shape.k; ++p) {
    const double x = a_transposed ? *at(a, p, i) : *at(a, i, p);
    const double* y = b_transposed ? at(b, first, p) : at(b, p, first);
    if (single) {
      for (std::size_t j = 0; j < columns; ++j) sums[j] += x * y[j * step];
    } else {
      for (std::size_t j = 0; j < columns; ++j) exact[j].add(x, y[j * step]);
    }
    for (std::size_t j = 0; j < columns; ++j) magnitudes[j] += std::abs(x * y[j * step]);
  }
  const std::int64_t own = single ? 0 : 3;  // roundings in the computation of this reference value
  const double nu = static_cast<double>(shape.k + 3 + own) * std::ldexp(1.0, single ? -24 : -53);
  const double smallest = single ? static_cast<double>(std::numeric_limits<float>::min())
                                 : std::numeric_limits<double>::min();
  std::vector<ProductElement> elements(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    ProductElement& element = elements[j];
    if (alpha != 0.0) element.value = alpha * (single ? sums[j] : exact[j].value());
    element.magnitude = magnitudes[j] * std::abs(alpha);
    double magnitude = element.magnitude;
    if (beta != 0.0) {
      const double scaled = beta * *at(c, i, first + static_cast<std::int64_t>(j));
      element.value += scaled;
      magnitude += std::abs(scaled);
    }
    element.bound = nu / (1.0 - nu) * magnitude + smallest;
    if (precision == Precision::kHalf) round_to_half(element);
  }
  return elements;
}

ProductElement host_product(Op op, const GemmShape& shape, double alpha, const HostOperand& a,
                            const HostOperand& b, double beta, const HostOperand& c, std::int64_t i,
                            std::int64_t j, Precision precision) {
  return host_product_row(op, shape, alpha, a, b, beta, c, i, j, 1, precision).front();
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
