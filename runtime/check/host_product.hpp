// The right result of a product: the naive host product in a wider precision, with which every
// kernel is compared.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

// A row-major matrix in host memory, as stored: element (i, j) is data[offset + i * ld + j]. Those
// of a product in single precision are floats, in half precision halfs.
struct HostMatrix {
  std::vector<double> data;
  std::size_t offset = 0;
  std::size_t ld = 1;
};

// One element of alpha op(A) op(B) + beta C, and the largest error that a correct computation of it
// in the precision, in any order and with any contraction, may have.
struct ProductElement {
  double value = 0.0;
  double bound = 0.0;
  double magnitude = 0.0;  // |alpha| sum |a||b|
};

// The element (i, j). beta = 0 does not read C; alpha = 0 reads neither A nor B. The bound is
// gamma(k + 3) (|alpha| sum |a||b| + |beta c|) with gamma(n) = n u / (1 - n u) and u = 2^-24
// (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1: k products and k - 1
// sums, then alpha, beta and their sum), and the smallest normal number for devices that flush
// denormals. In double precision u = 2^-53, and the sum is as exact as if it were made in twice
// that (Ogita, Rump, Oishi, "Accurate sum and dot product", algorithm Dot2); the bound has room for
// the rounding of its last steps. In half precision sums are floats: the bound is that of single
// precision, and half a unit in the last place of a half; what is beyond the largest half, 65504,
// by half a unit or more is infinite.
ProductElement host_product(Op op, const GemmShape& shape, double alpha, const HostMatrix& a,
                            const HostMatrix& b, double beta, const HostMatrix& c, std::int64_t i,
                            std::int64_t j, Precision precision = Precision::kSingle);

// The elements (i, first) to (i, first + count - 1): of a row-major B in a fraction of the time.
std::vector<ProductElement> host_product_row(Op op, const GemmShape& shape, double alpha,
                                             const HostMatrix& a, const HostMatrix& b, double beta,
                                             const HostMatrix& c, std::int64_t i,
                                             std::int64_t first, std::int64_t count,
                                             Precision precision = Precision::kSingle);

// The element with room for products and sums of up to `steps` of them in halfs (accumulate_k; 0:
// none), `k` in all: (steps + 1) 2^-11 |alpha| sum |a||b| (Jeannerod, Rump, "Improved error bounds
// for inner products in floating-point arithmetic", 2013: for any number of steps, and any order),
// and what is lost where products and sums below 2^-14 become 0. No sum may reach 65520.
ProductElement with_half_sums(ProductElement element, int steps, std::int64_t k, double alpha);

// One part of the element (i, j) of op(A) op(B) of complex matrices, whose parts lie side by side:
// `ld` counts numbers. The bound is that of 2 k products and their sum, and one step more.
ProductElement host_complex_product(Op op, const GemmShape& shape, const HostMatrix& a,
                                    const HostMatrix& b, std::int64_t i, std::int64_t j,
                                    bool imaginary, Precision precision);

// The bound grows by half a unit in the last place of a half: of its 11 bits, or of the denormals'
// 2^-24.
void round_to_half(ProductElement& element);

// What the kernel writes: a split k leaves parts, which are sums.
bool stores_halfs(const KernelRecord& record);

// What a bias and an activation make of an element. The bound grows by the slope of the activation
// and by its own errors, a few units in the last place of the result.
ProductElement with_epilogue(ProductElement element, Dimension bias_along, double bias,
                             Activation activation, const ActivationArguments& arguments);

}  // namespace tilewright
