// The cases on which a kernel is checked: extents, data and placement of its matrices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/call/gemm_shape.hpp"
#include "runtime/check/check_extents.hpp"

namespace tilewright {

// Elements of A and B.
enum class CheckData {
  kUniform,    // in [-1, 1]
  kWhole,      // -1, 0 and 1: sums in half precision are exact
  kNonfinite,  // uniform, with NaN and infinity in A, B and C, which must reach the results that
               // depend on them
};

// Position of the result in its buffer.
enum class CheckPlacement {
  kOdd,      // odd offset and gaps, if the kernel supports them
  kAligned,  // offset and gaps are multiples of the record's alignment
  kOnLines,  // each line begins on a cache line
  kDense,    // aligned, without gaps, like the operand
};

// A batch of two products, whose matrices are parts of the case's matrices.
enum class CheckBatch {
  kNone,
  kAlongM,  // the upper and the lower half of A and C
  kAlongN,  // the left and the right half of B and C
};

// gemm, gemv: C = alpha A B + beta C. A kernel with split_k stores parts, which the host adds up
// and scales. reduce: C = alpha (sum of k parts) + beta C. Others: Y = f(X), with k = 1.
struct CheckCase {
  GemmShape shape{};  // m x n is the result without padding
  double alpha = 1.25;
  double beta = 0.0;
  CheckData data = CheckData::kUniform;
  CheckPlacement placement = CheckPlacement::kOdd;
  CheckBatch batch = CheckBatch::kNone;
  bool in_place = false;  // Y is X
  CheckExtents padded{};  // of X and Y with their padding, for roles other than products
};

// Cases for a kernel of any role. Their extents depend on the kernel: more than one work-group if
// that is small, incomplete tiles at the edges, whole iterations of its loops for each part of k, a
// C that is narrower than any vector, several work-groups. With beta = 0, and once with another
// beta if the kernel may read C.
std::vector<CheckCase> first_use_cases(const KernelRecord& record);

// Small awkward shapes: 1, smaller than every vector, primes, powers of two plus one, tall, wide,
// small and large k, k = 0.
std::span<const GemmShape> awkward_shapes();

// Cases for those of such shapes that the kernel of a product supports, with beta = 0 and another
// beta; with NaN and infinity for kernels that may_ignore_nan(). None for other roles.
std::vector<CheckCase> awkward_cases(const KernelRecord& record, std::span<const GemmShape> shapes);

}  // namespace tilewright
