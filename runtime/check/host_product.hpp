// The reference product on the host, in higher precision, with which all kernels are compared.
#pragma once

#include <cstdint>
#include <vector>

#include "profiles/kernel_record.hpp"
#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

// One element of alpha A B + beta C, and the maximum error of a correct computation in the given
// precision, in any order and with any contraction.
struct ProductElement {
  double value = 0.0;
  double bound = 0.0;
  double magnitude = 0.0;  // |alpha| sum |a||b|
};

// Computes all elements, row by row, from row-major matrices without gaps. For products in single
// (half) precision, their elements are single- (half-) precision values. beta = 0 does not read C;
// alpha = 0 reads neither A nor B. The bound is
// gamma(k + 3) (|alpha| sum |a||b| + |beta c|) with gamma(n) = n u / (1 - n u) and u = 2^-24
// (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1: k products and k - 1
// sums, then alpha, beta and their sum), plus the smallest normal number for devices that flush
// denormals. In double precision u = 2^-53; the sum is as accurate as in twice this precision
// (Ogita, Rump, Oishi, "Accurate sum and dot product", algorithm Dot2), and the bound allows for
// the rounding of its last steps. In half precision, sums are single precision: the bound is that
// of single precision plus half a unit in the last place of half precision. Values that round
// beyond the largest half-precision number, 65504, are infinite.
std::vector<ProductElement> host_product(const GemmShape& shape, double alpha,
                                         const std::vector<double>& a, const std::vector<double>& b,
                                         double beta, const std::vector<double>& c,
                                         Precision precision = Precision::kSingle);

// Widens the bound for products and sums of up to `steps` of them in half precision (accumulate_k;
// 0: none), `k` in all: by (steps + 1) 2^-11 |alpha| sum |a||b| (Jeannerod, Rump, "Improved error
// bounds for inner products in floating-point arithmetic", 2013: for any number of steps, and any
// order), and by the loss where products and sums below 2^-14 become 0. No sum may reach 65520.
ProductElement with_half_sums(ProductElement element, int steps, std::int64_t k, double alpha);

// Widens the bound by half a unit in the last place of half precision: 11 significant bits, or
// 2^-24 for denormals.
void round_to_half(ProductElement& element);

// True if the kernel stores half precision. With split k it stores partial sums, which are not.
bool stores_half(const KernelRecord& record);

// Applies a bias and an activation to an element. The bound grows by the slope of the activation
// and by the activation's own errors, a few units in the last place of the result.
ProductElement with_epilogue(ProductElement element, Dimension bias_along, double bias,
                             Activation activation, const ActivationArguments& arguments);

}  // namespace tilewright
