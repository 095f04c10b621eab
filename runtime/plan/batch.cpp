#include "runtime/plan/batch.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
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

// Do so many matrices follow each other along an extent that is the number of their lines, or
// the length of a line?
bool follow(const StridedMatrices& all, std::size_t extent, bool lines, std::size_t count) {
  const std::uint64_t apart = std::uint64_t{extent} * (lines ? all.ld : 1);
  return all.stride == apart && (lines || all.ld / count >= extent);
}

void require_length(const char* list, std::size_t length, std::size_t count) {
  if (length == count) return;
  throw Error(TW_INVALID_VALUE, fmt::format("{} has {} elements, but there are {} offsets of C",
                                            list, length, count));
}

}  // namespace

Product strided_product(const GemmCall& call, const StridedMatrices& a, const StridedMatrices& b,
                        const StridedMatrices& c, std::size_t index) {
  return {call, strided(a, index), strided(b, index), strided(c, index)};
}

Batch strided_batch(const GemmCall& call, const StridedMatrices& a, const StridedMatrices& b,
                    const StridedMatrices& c, std::size_t count) {
  if (count > 1 && c.stride == 0) {
    throw Error(TW_INVALID_VALUE, "the stride of C is 0: the products would overwrite each other");
  }
  Batch batch;
  for (std::size_t i = 0; i < count; ++i) batch.push_back(strided_product(call, a, b, c, i));
  return batch;
}

std::optional<Product> folded_batch(const GemmCall& call, const StridedMatrices& a,
                                    const StridedMatrices& b, const StridedMatrices& c,
                                    std::size_t count) {
  if (count < 2 || c.stride == 0) return std::nullopt;
  const bool rows = call.order == Order::kRowMajor;  // are the lines of a matrix
  const bool a_as_c = call.trans_a == Transpose::kNo;
  const bool b_as_c = call.trans_b == Transpose::kNo;
  Product one{call, strided(a, 0), strided(b, 0), strided(c, 0)};
  const auto fold = [&](std::size_t& extent) {
    if (extent > kMaxExtent / count) return false;
    extent *= count;
    return true;
  };
  if (b.stride == 0 && follow(a, call.m, rows == a_as_c, count) && follow(c, call.m, rows, count) &&
      fold(one.call.m)) {
    return one;
  }
  if (a.stride == 0 && follow(b, call.n, rows != b_as_c, count) &&
      follow(c, call.n, !rows, count) && fold(one.call.n)) {
    return one;
  }
  return std::nullopt;
}

Batch listed_batch(const GemmCall& call, const ListedMatrices& a, const ListedMatrices& b,
                   const ListedMatrices& c, const BatchScalars& scalars) {
  const std::size_t count = c.offsets.size();
  require_length("a.offsets", a.offsets.size(), count);
  require_length("b.offsets", b.offsets.size(), count);
  if (!scalars.alphas.empty()) require_length("alphas", scalars.alphas.size(), count);
  if (!scalars.betas.empty()) require_length("betas", scalars.betas.size(), count);
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
