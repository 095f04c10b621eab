// The products on which a kernel is checked, with their data and right results.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "runtime/check/host_product.hpp"

namespace tilewright {

// Elements of A and B.
enum class CheckData {
  kUniform,    // in [-1, 1]
  kWhole,      // -1, 0 and 1: sums in half precision are exact
  kNonfinite,  // uniform, with NaN and infinity in A, B and C: they reach what depends on them
};

// A batch of two products, whose matrices are parts of those of the case.
enum class CheckBatch {
  kNone,
  kAlongM,  // of the upper and the lower half of A and C
  kAlongN,  // of the left and the right half of B and C
};

// C = alpha A B + beta C. A kernel with split_k leaves parts, which the host adds up and scales.
struct ProductCase {
  GemmShape shape;
  double alpha = 1.25;
  double beta = 0.0;
  CheckData data = CheckData::kUniform;
  bool odd_c = true;  // C is not aligned, where the kernel can write such a C
  CheckBatch batch = CheckBatch::kNone;
};

// A (m x k), B (k x n) and C (m x n) row by row, and the right results before bias and activation.
struct ProductData {
  HostMatrix a;
  HostMatrix b;
  HostMatrix c;
  std::vector<ProductElement> expected;
};
ProductData make_product(const ProductCase& test, Precision precision);

// Shapes that depend on the kernel: more than a work-group where that is small, ragged edges, whole
// turns of its loops for each part of k, a C that is narrower than any vector, several work-groups.
// With beta = 0, and once with another beta where the kernel may read C.
std::vector<ProductCase> first_use_cases(const KernelRecord& record);

// Small awkward shapes: 1, below every vector, primes, one past powers of two, tall, wide, shallow
// and deep k, no k.
std::span<const GemmShape> awkward_shapes();

// Cases on such shapes, as far as the kernel runs them, with beta = 0 and another beta; NaN and
// infinity for kernels that may_ignore_nan().
std::vector<ProductCase> awkward_cases(const KernelRecord& record,
                                       std::span<const GemmShape> shapes);

// Products that many kernels share, each made when it is first needed.
class Products {
 public:
  const ProductData& get(const ProductCase& test, Precision precision);

 private:
  struct Key {
    Precision precision;
    std::int64_t m, n, k;
    double alpha, beta;
    CheckData data;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, ProductData> products_;
};

}  // namespace tilewright
