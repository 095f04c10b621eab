// The products on which a kernel is checked, with their data and expected results.
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
  kNonfinite,  // uniform, with NaN and infinity in A, B and C, which must reach the results that
               // depend on them
};

// A batch of two products, whose matrices are parts of the case's matrices.
enum class CheckBatch {
  kNone,
  kAlongM,  // the upper and the lower half of A and C
  kAlongN,  // the left and the right half of B and C
};

// C = alpha A B + beta C. A kernel with split_k stores parts, which the host adds up and scales.
struct ProductCase {
  GemmShape shape;
  double alpha = 1.25;
  double beta = 0.0;
  CheckData data = CheckData::kUniform;
  bool odd_c = true;  // C is not aligned, if the kernel supports this
  CheckBatch batch = CheckBatch::kNone;
};

// A (m x k), B (k x n) and C (m x n), row-major, and the expected results before bias and
// activation.
struct ProductData {
  HostOperand a;
  HostOperand b;
  HostOperand c;
  std::vector<ProductElement> expected;
};
// Creates the data of a case, and computes its expected results on the host.
ProductData make_product(const ProductCase& test, Precision precision);

// Shapes that depend on the kernel: more than one work-group if that is small, incomplete tiles at
// the edges, whole iterations of its loops for each part of k, a C that is narrower than any
// vector, several work-groups. With beta = 0, and once with another beta if the kernel may read C.
std::vector<ProductCase> first_use_cases(const KernelRecord& record);

// Small awkward shapes: 1, smaller than every vector, primes, powers of two plus one, tall, wide,
// small and large k, k = 0.
std::span<const GemmShape> awkward_shapes();

// Cases for those of such shapes that the kernel supports, with beta = 0 and another beta; with
// NaN and infinity for kernels that may_ignore_nan().
std::vector<ProductCase> awkward_cases(const KernelRecord& record,
                                       std::span<const GemmShape> shapes);

// Products for many kernels. Each is created when it is first needed.
class Products {
 public:
  // The reference is valid until the object is destroyed.
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
