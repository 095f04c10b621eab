// Expands batched calls into products, and joins products into few launches.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/call/gemm_call.hpp"
#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

// A product with its own matrices.
struct Product {
  GemmCall call;
  Matrix a, b, c;
};

// The products of a batch, in the order in which they are enqueued.
using Batch = std::vector<Product>;

// Product number `index` of a strided batch. Offsets that exceed size_t are set to its maximum, for
// which no buffer is large enough.
Product strided_product(const GemmCall& call, const StridedMatrices& a, const StridedMatrices& b,
                        const StridedMatrices& c, std::size_t index);

// Throws Error TW_INVALID_VALUE if the products would write to the same C (its stride is 0).
void require_apart(const StridedMatrices& c, std::size_t count);

// Returns the single product that is equivalent to the batch, if there is one. This requires that
// all products share A or B (its stride is 0), and that the other factors and the results are
// consecutive rows or columns of one matrix. Returns nullopt if the batch has one product, if it is
// not equivalent to one, or if that would be too large.
std::optional<Product> folded_batch(const GemmCall& call, const StridedMatrices& a,
                                    const StridedMatrices& b, const StridedMatrices& c,
                                    std::size_t count);

// The problem of a whole batch: the first product (from resolve()) with the strides of the batch.
GemmProblem strided_problem(GemmProblem first, const GemmCall& call, const StridedMatrices& a,
                            const StridedMatrices& b, const StridedMatrices& c, std::size_t count);
// Maximum number of products per launch: CUDA supports no more work-groups in dimension 2.
inline constexpr std::size_t kMaxProductsPerLaunch = 65535;
// `count` products of a batch from product `first` on.
GemmProblem slice_batch(const GemmProblem& batch, std::size_t first, std::size_t count);
// One product of a batch.
GemmProblem batch_product(const GemmProblem& batch, std::size_t index);
// The same products in the same order, where consecutive ones at equal distances and with equal
// scalars are joined. All must have the same shape and leading dimensions.
std::vector<GemmProblem> coalesce(const std::vector<GemmProblem>& products);

// Representative problem that is used as the plan key of a batch: the common alignment of all
// offsets, and the count rounded down to a power of two, so that few plans cover batches of all
// sizes.
GemmProblem planning_representative(GemmProblem batch);

// Throws Error TW_INVALID_VALUE if the lists have different lengths, or if two C that are not empty
// have the same offset.
Batch listed_batch(const GemmCall& call, const ListedMatrices& a, const ListedMatrices& b,
                   const ListedMatrices& c, const BatchScalars& scalars);

}  // namespace tilewright
