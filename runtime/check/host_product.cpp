#include "runtime/check/host_product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright {

ProductElement host_product(Op op, const GemmShape& shape, float alpha, const HostMatrix& a,
                            const HostMatrix& b, float beta, const HostMatrix& c, std::int64_t i,
                            std::int64_t j) {
  const bool a_transposed = layout_a_of(op) == Layout::C();
  const bool b_transposed = layout_b_of(op) == Layout::C();
  const auto at = [](const HostMatrix& matrix, std::int64_t row, std::int64_t column) {
    return static_cast<double>(
        matrix.data[matrix.offset + static_cast<std::size_t>(row) * matrix.ld +
                    static_cast<std::size_t>(column)]);
  };
  double sum = 0.0;
  double magnitude = 0.0;
  for (std::int64_t p = 0; alpha != 0.0f && p < shape.k; ++p) {
    const double product =
        (a_transposed ? at(a, p, i) : at(a, i, p)) * (b_transposed ? at(b, j, p) : at(b, p, j));
    sum += product;
    magnitude += std::abs(product);
  }
  ProductElement element;
  element.value = alpha != 0.0f ? alpha * sum : 0.0;
  magnitude *= std::abs(static_cast<double>(alpha));
  if (beta != 0.0f) {
    element.value += beta * at(c, i, j);
    magnitude += std::abs(beta * at(c, i, j));
  }
  const double nu = static_cast<double>(shape.k + 3) * std::ldexp(1.0, -24);
  element.bound = nu / (1.0 - nu) * magnitude + std::numeric_limits<float>::min();
  return element;
}

ProductElement with_epilogue(ProductElement element, Dimension bias_along, float bias,
                             Activation activation, const ActivationArguments& arguments) {
  constexpr double kUlp = 1.0 / (1 << 23);
  if (bias_along != Dimension::kNone) {
    element.value += static_cast<double>(bias);
    element.bound += 2 * kUlp * (std::abs(element.value) + 1.0);
  }
  if (activation == Activation::kIdentity || activation == Activation::kRelu) {
    element.value = activated(activation, element.value, arguments);
    return element;
  }
  // Of these none is steeper than 2, and erfc() is good for 16 units.
  const bool is_smooth = activation > Activation::kTanh;
  element.value = activated(activation, element.value, arguments);
  if (is_smooth) element.bound *= 2;
  element.bound += (is_smooth ? 32 : 8) * kUlp * (std::abs(element.value) + 0.125);
  return element;
}

}  // namespace tilewright
