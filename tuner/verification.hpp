// Does a kernel compute the product, whatever the size, and touch nothing else?
#pragma once

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "runtime/executor.hpp"
#include "tuner/host_product.hpp"

namespace tilewright {

// One product with its data and right result, made once and run by many kernels.
struct VerificationCase {
  Op op = Op::kNN;
  GemmShape shape;
  float alpha = 1.0f;
  float beta = 0.0f;
  HostMatrix a;
  HostMatrix b;
  HostMatrix c;
  std::vector<ProductElement> expected;  // m x n, row-major
};

// Cases for kernels that compute `op`: small awkward shapes (1, below every vector, primes, one
// past powers of two, tall, wide, shallow and deep k) with gaps between rows and offsets, data
// uniform in [-1, 1]; with beta = 0 and C full of NaN, and with alpha and beta that matter. All
// that is not an element of A, B or C is NaN, so that reading a gap is wrong and writing one is
// seen.
std::vector<VerificationCase> verification_cases(Op op, std::uint64_t seed);

// Runs one call on device buffers: (A, B, C with offset and ld in elements) -> event, or why not.
using Multiply = std::function<Launched(const VerificationCase&, const Matrix& a, const Matrix& b,
                                        const Matrix& c)>;

// The largest error as a share of its bound (below 1), or the first thing that is wrong.
using Verified = std::variant<double, Rejection>;

// Runs `multiply` on a case and compares all of C's buffer. The queue only moves data.
Verified verify(const cl::Context& context, const cl::CommandQueue& queue,
                const VerificationCase& test, const Multiply& multiply);

// Runs a loaded kernel on all cases, up to the first that fails.
Verified verify_kernel(const Executor& executor, const cl::CommandQueue& queue,
                       LoadedKernel& kernel, const std::vector<VerificationCase>& cases);

}  // namespace tilewright
