#include "tuner/host_product.hpp"

#include <cmath>
#include <limits>

namespace tilewright {

ProductElement host_product(Op op, const GemmShape& shape, float alpha, const HostMatrix& a,
                            const HostMatrix& b, float beta, const HostMatrix& c, std::int64_t i,
                            std::int64_t j) {
  const bool a_transposed = layout_a_of(op) == Layout::kC;
  const bool b_transposed = layout_b_of(op) == Layout::kC;
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

}  // namespace tilewright
