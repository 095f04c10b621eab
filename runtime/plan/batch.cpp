#include "runtime/plan/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "runtime/call/gemm_problem.hpp"

namespace tilewright {
namespace {

Matrix strided(const StridedMatrices& all, std::size_t i) {
  constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max();
  const bool fits = all.stride == 0 || i <= (kLargest - all.offset) / all.stride;
  return {all.buffer, fits ? all.offset + i * all.stride : kLargest, all.ld};
}

Matrix listed(const ListedMatrices& all, std::size_t i) {
  return {all.buffer, all.offsets[i], all.ld};
}

// True if `count` matrices are parts of one matrix, with its ld: consecutive groups of its lines
// (`stacked`, each of `extent` lines), or consecutive parts of every line (each of `extent`
// elements).
bool form_one_matrix(const StridedMatrices& all, std::size_t extent, bool stacked,
                     std::size_t count) {
  const std::uint64_t distance = std::uint64_t{extent} * (stacked ? all.ld : 1);
  return all.stride == distance && (stacked || all.ld / count >= extent);
}

// Appends the product to a run of products at equal distances. Returns false if it does not fit.
bool append(GemmProblem& run, const GemmProblem& product) {
  const GemmProblem last = batch_product(run, run.batch.count - 1);
  const bool forward = product.a.offset >= last.a.offset && product.b.offset >= last.b.offset &&
                       product.c.offset > last.c.offset;
  if (!forward || product.alpha != run.alpha || product.beta != run.beta ||
      product.complex != run.complex) {
    return false;
  }
  const Distances next{run.batch.count + 1, product.a.offset - last.a.offset,
                       product.b.offset - last.b.offset, product.c.offset - last.c.offset};
  const bool same = next.a == run.batch.a && next.b == run.batch.b && next.c == run.batch.c;
  if (run.batch.count > 1 && !same) return false;
  run.batch = next;
  return true;
}

void require_length(const char* list, std::size_t length, std::size_t count) {
  if (length == count) return;
  throw Error(TW_INVALID_VALUE, fmt::format("{} has {} elements, but there are {} offsets of C",
                                            list, length, count));
}

// Throws Error if two of the offsets are equal.
void require_different(const std::vector<std::size_t>& offsets) {
  // Most lists ascend.
  const auto does_not_ascend = std::greater_equal<>();
  if (std::adjacent_find(offsets.begin(), offsets.end(), does_not_ascend) == offsets.end()) return;
  std::vector<std::size_t> sorted = offsets;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  // An offset that no number can hold is reported as one after the end of the buffer.
  if (twice == sorted.end() || *twice == std::numeric_limits<std::size_t>::max()) return;
  throw Error(
      TW_INVALID_VALUE,
      fmt::format("two C have the offset {}: the products would overwrite each other", *twice));
}

}  // namespace

Product strided_product(const GemmCall& call, const StridedMatrices& a, const StridedMatrices& b,
                        const StridedMatrices& c, std::size_t index) {
  return {call, strided(a, index), strided(b, index), strided(c, index)};
}

void require_apart(const StridedMatrices& c, std::size_t count) {
  if (count > 1 && c.stride == 0) {
    throw Error(TW_INVALID_VALUE, "the stride of C is 0: the products would overwrite each other");
  }
}

std::optional<Product> folded_batch(const GemmCall& call, const StridedMatrices& a,
                                    const StridedMatrices& b, const StridedMatrices& c,
                                    std::size_t count) {
  if (count < 2 || c.stride == 0) return std::nullopt;
  const bool rows = call.order == Order::kRowMajor;  // lines are rows
  const bool a_as_c = call.trans_a == Transpose::kNo;
  const bool b_as_c = call.trans_b == Transpose::kNo;
  Product one{call, strided(a, 0), strided(b, 0), strided(c, 0)};
  const auto fold = [&](std::size_t& extent) {
    if (extent > max_extent(call.type) / count) return false;
    extent *= count;
    return true;
  };
  if (b.stride == 0 && form_one_matrix(a, call.m, rows == a_as_c, count) &&
      form_one_matrix(c, call.m, rows, count) && fold(one.call.m)) {
    return one;
  }
  if (a.stride == 0 && form_one_matrix(b, call.n, rows != b_as_c, count) &&
      form_one_matrix(c, call.n, !rows, count) && fold(one.call.n)) {
    return one;
  }
  return std::nullopt;
}

GemmProblem strided_problem(GemmProblem first, const GemmCall& call, const StridedMatrices& a,
                            const StridedMatrices& b, const StridedMatrices& c, std::size_t count) {
  const bool rows = call.order == Order::kRowMajor;
  first.batch = {count, rows ? a.stride : b.stride, rows ? b.stride : a.stride, c.stride};
  return first;
}

GemmProblem batch_product(const GemmProblem& batch, std::size_t index) {
  GemmProblem product = slice_batch(batch, index, 1);
  product.batch = {};
  return product;
}

GemmProblem slice_batch(const GemmProblem& batch, std::size_t first, std::size_t count) {
  GemmProblem part = batch;
  part.a.offset += first * batch.batch.a;
  part.b.offset += first * batch.batch.b;
  part.c.offset += first * batch.batch.c;
  part.batch.count = count;
  return part;
}

std::vector<GemmProblem> coalesce(const std::vector<GemmProblem>& products) {
  std::vector<GemmProblem> runs;
  for (const GemmProblem& product : products) {
    if (!runs.empty() && append(runs.back(), product)) continue;
    runs.push_back(product);
  }
  return runs;
}

GemmProblem planning_representative(GemmProblem batch) {
  batch.a.offset = std::gcd(batch.a.offset, batch.batch.a);
  batch.b.offset = std::gcd(batch.b.offset, batch.batch.b);
  batch.c.offset = std::gcd(batch.c.offset, batch.batch.c);
  batch.batch = {std::bit_floor(batch.batch.count), 0, 0, 0};
  return batch;
}

Batch listed_batch(const GemmCall& call, const ListedMatrices& a, const ListedMatrices& b,
                   const ListedMatrices& c, const BatchScalars& scalars) {
  const std::size_t count = c.offsets.size();
  require_length("a.offsets", a.offsets.size(), count);
  require_length("b.offsets", b.offsets.size(), count);
  if (!scalars.alphas.empty()) require_length("alphas", scalars.alphas.size(), count);
  if (!scalars.betas.empty()) require_length("betas", scalars.betas.size(), count);
  if (call.m > 0 && call.n > 0) require_different(c.offsets);
  Batch batch;
  for (std::size_t i = 0; i < count; ++i) {
    GemmCall own = call;
    if (!scalars.alphas.empty()) own.alpha = scalars.alphas[i];
    if (!scalars.betas.empty()) own.beta = scalars.betas[i];
    batch.push_back({own, listed(a, i), listed(b, i), listed(c, i)});
  }
  return batch;
}

}  // namespace tilewright
