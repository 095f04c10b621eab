// Does a kernel compute the product, whatever the size, and touch nothing else?
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/check/check_matrices.hpp"
#include "runtime/check/host_product.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {

// One product with its data and right result, made once and run by many kernels.
struct VerificationCase {
  Op op = Op::kNN;
  GemmShape shape;
  Precision precision = Precision::kSingle;
  bool whole_numbers = false;  // A and B: sums in halfs are exact
  double alpha = 1.0;
  double beta = 0.0;
  ActivationArguments arguments = {0.25f, 0.75f};  // as slope, shift, low, high
  HostMatrix a;
  HostMatrix b;
  HostMatrix c;
  std::vector<float> bias;               // max(m, n) elements
  std::vector<ProductElement> expected;  // m x n, row-major: sums, without bias and activation
};

// Small awkward shapes: 1, below every vector, primes, one past powers of two, tall, wide, shallow
// and deep k.
std::span<const GemmShape> awkward_shapes();

// Cases for kernels that compute `op`: the shapes with gaps between rows and offsets, data uniform
// in [-1, 1]; with beta = 0 and C full of NaN, and with alpha and beta that matter. All
// that is not an element of A, B or C is NaN, so that reading a gap is wrong and writing one is
// seen. Offsets, leading dimensions, m and n are multiples of `alignment`; m and n are at most
// `most_m` and `most_n` (kernels for narrow products; 0: any). Of `half_sums` those with beta = 0
// have elements -1, 0 and 1.
std::vector<VerificationCase> verification_cases(
    Op op, std::uint64_t seed, int alignment = 1, std::int64_t most_m = 0, std::int64_t most_n = 0,
    std::span<const GemmShape> shapes = awkward_shapes(), Precision precision = Precision::kSingle,
    bool half_sums = false);

// The same for a few shapes, with NaN and infinity in A, B and C: they reach what depends on them,
// and nothing else. For kernels that may_ignore_nan().
std::vector<VerificationCase> nonfinite_cases(Op op, std::uint64_t seed, int alignment = 1,
                                              std::int64_t most_m = 0, std::int64_t most_n = 0,
                                              Precision precision = Precision::kSingle);

// The cases of many kernels, each made when it is first needed.
class VerificationCases {
 public:
  // The shapes must outlive the cases.
  explicit VerificationCases(std::uint64_t seed,
                             std::span<const GemmShape> shapes = awkward_shapes())
      : seed_(seed), shapes_(shapes) {}
  const std::vector<VerificationCase>& of(const KernelRecord& record);

 private:
  std::uint64_t seed_;
  std::span<const GemmShape> shapes_;
  std::map<std::tuple<Precision, Op, int, std::int64_t, std::int64_t, bool, bool>,
           std::vector<VerificationCase>>
      cases_;
  std::map<std::string, std::vector<VerificationCase>> foreign_;  // by name
};

// Runs one call on device buffers: (A, B, C with offset and ld in elements) -> event, or why not.
using Multiply = std::function<Launched(const VerificationCase&, const Matrix& a, const Matrix& b,
                                        const Matrix& c)>;

// The largest error as a share of its bound (below 1), or the first thing that is wrong.
using Verified = std::variant<double, Rejection>;

// Runs `multiply` on a case and compares all of C's buffer. The queue only moves data.
Verified verify(const cl::Context& context, const cl::CommandQueue& queue,
                const VerificationCase& test, const Multiply& multiply);

// Runs a loaded kernel of role kGemm or kGemv on all cases, up to the first that fails, with its
// operands as it wants them: packed and padded on the host, as images, in its own layouts. Parts of
// a split k are added up on the host. The cases do not depend on the kernel's work-group, so the
// library's check_groups() follows.
Verified verify_kernel(const Executor& executor, const cl::CommandQueue& queue,
                       LoadedKernel& kernel, const std::vector<VerificationCase>& cases);

}  // namespace tilewright
