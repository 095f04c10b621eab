// Which products does a batched call stand for?
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <tilewright/library.hpp>
#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

struct Product {
  GemmCall call;
  Matrix a, b, c;
};

// In the order in which they are enqueued.
using Batch = std::vector<Product>;

// One product of a batch. Offsets that do not fit a size_t become the largest, which no buffer
// holds.
Product strided_product(const GemmCall& call, const StridedMatrices& a, const StridedMatrices& b,
                        const StridedMatrices& c, std::size_t index);

// Throws Error TW_INVALID_VALUE if the products would write the same C: its stride is 0.
void require_apart(const StridedMatrices& c, std::size_t count);

// The one product that the batch is, if its matrices lie so: A or B is one for all (its stride is
// 0), and the other factors and results follow each other as rows or columns of one matrix each.
// The i-th product is then a part of its rows or columns. nullopt: the batch is more than one
// product, or too large for one, or a single one.
std::optional<Product> folded_batch(const GemmCall& call, const StridedMatrices& a,
                                    const StridedMatrices& b, const StridedMatrices& c,
                                    std::size_t count);

// The problem of the first product of a batch (resolve()) with the distances of all.
GemmProblem strided_problem(GemmProblem first, const GemmCall& call, const StridedMatrices& a,
                            const StridedMatrices& b, const StridedMatrices& c, std::size_t count);
// What one launch takes of a batch: CUDA's grids have no more work-groups in dimension 2.
inline constexpr std::size_t kMostOfLaunch = 65535;
// So many of its products, from that one on, at the same distances.
GemmProblem part_of(const GemmProblem& batch, std::size_t first, std::size_t count);
// One of its products.
GemmProblem product_of(const GemmProblem& batch, std::size_t index);
// The same products in order, those that follow each other at equal distances, with the same
// scalars, joined. All have one shape and leading dimensions.
std::vector<GemmProblem> joined(const std::vector<GemmProblem>& products);

// The problem that plans are made for: a product whose offsets are aligned as those of all are, and
// how many there are, rounded down to a power of two, so that few plans serve batches of any size.
GemmProblem like_all(GemmProblem batch);

// Throws Error TW_INVALID_VALUE if the lists differ in length.
Batch listed_batch(const GemmCall& call, const ListedMatrices& a, const ListedMatrices& b,
                   const ListedMatrices& c, const BatchScalars& scalars);

}  // namespace tilewright
