// The data of a case, and the results that are expected.
#pragma once

#include <compare>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "runtime/check/check_cases.hpp"
#include "runtime/check/host_product.hpp"

namespace tilewright {

double surrounding_nan();  // surrounds operands

// A row-major matrix with uniform random elements in [-1, 1] of the precision. Generators in
// the same state give equal matrices.
std::vector<double> random_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random,
                                  Precision precision = Precision::kSingle);

// Row-major matrices without gaps.
struct CaseData {
  // Products: A (m x k). Reduce kernels: k parts of m x n, one below the other. Others: X (m x n).
  std::vector<double> a;
  std::vector<double> b;  // products: B (k x n)
  std::vector<double> c;  // C (m x n) before the product or reduction, if beta is not 0
  // m x n results; for all but softmax before the record's bias and activation.
  std::vector<ProductElement> expected;
};
// Creates the data of a case for a kernel, and computes its expected results on the host. For
// products they depend on the precision of the record only.
CaseData make_data(const CheckCase& test, const KernelRecord& record);

// Data of products for many kernels. Each is created when it is first needed.
class Products {
 public:
  // The reference is valid until the object is destroyed.
  const CaseData& get(const CheckCase& test, const KernelRecord& record);

 private:
  using Key =
      std::tuple<Precision, std::int64_t, std::int64_t, std::int64_t, double, double, CheckData>;
  std::map<Key, CaseData> products_;
};

}  // namespace tilewright
