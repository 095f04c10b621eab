#include "runtime/team/product_part.hpp"

#include <algorithm>

#include "runtime/call/gemm_problem.hpp"

namespace tilewright {
namespace {

// The offset of element (row, column) of op(X).
std::size_t element_offset(Order order, Transpose transpose, std::size_t row, std::size_t column,
                           std::size_t ld) {
  const bool rows_are_lines = (order == Order::kRowMajor) == (transpose == Transpose::kNo);
  return rows_are_lines ? row * ld + column : column * ld + row;
}

HostPointer advanced(const HostPointer& matrix, std::size_t elements, std::size_t element_bytes) {
  if (matrix.data == nullptr) return matrix;
  return {static_cast<std::byte*>(matrix.data) + elements * element_bytes, matrix.ld};
}

template <class Real>
void add_lines(const StoredLines& stored, std::size_t reals_per_element, const PartialSum& sum,
               const HostPointer& c) {
  const std::size_t reals = stored.length * reals_per_element;
  for (std::size_t line = 0; line < stored.lines; ++line) {
    const Real* const from = static_cast<const Real*>(sum.c.data) + line * reals;
    Real* const to = static_cast<Real*>(c.data) + line * c.ld * reals_per_element;
    for (std::size_t i = 0; i < reals; ++i) to[i] += from[i];
  }
}

}  // namespace

std::size_t axis_extent(const GemmCall& call, SplitAxis axis) {
  return axis == SplitAxis::kM ? call.m : axis == SplitAxis::kN ? call.n : call.k;
}

double num_gflop(const GemmCall& call) {
  const double products = is_complex(call.type) ? 4.0 : 1.0;
  return 2e-9 * products * static_cast<double>(call.m) * static_cast<double>(call.n) *
         static_cast<double>(std::max<std::size_t>(1, call.k));
}

SplitAxis line_axis(const GemmCall& call) {
  return call.order == Order::kRowMajor ? SplitAxis::kM : SplitAxis::kN;
}

GemmCall part_call(const GemmCall& call, const ProductPart& part) {
  GemmCall result = call;
  (part.axis == SplitAxis::kM   ? result.m
   : part.axis == SplitAxis::kN ? result.n
                                : result.k) = part.size;
  return result;
}

PartOffsets part_offsets(const GemmCall& call, std::size_t lda, std::size_t ldb, std::size_t ldc,
                         const ProductPart& part) {
  const std::size_t i = part.axis == SplitAxis::kM ? part.begin : 0;
  const std::size_t j = part.axis == SplitAxis::kN ? part.begin : 0;
  const std::size_t p = part.axis == SplitAxis::kK ? part.begin : 0;
  return {element_offset(call.order, call.trans_a, i, p, lda),
          element_offset(call.order, call.trans_b, p, j, ldb),
          element_offset(call.order, Transpose::kNo, i, j, ldc)};
}

HostGemm part_product(const HostGemm& product, const ProductPart& part) {
  const GemmCall& call = product.call;
  const PartOffsets offsets = part_offsets(call, product.a.ld, product.b.ld, product.c.ld, part);
  const std::size_t bytes = bytes_per_element(call.type);
  return {part_call(call, part), advanced(product.a, offsets.a, bytes),
          advanced(product.b, offsets.b, bytes), advanced(product.c, offsets.c, bytes)};
}

StoredLines stored_lines(Order order, Transpose transpose, std::size_t rows, std::size_t columns) {
  const bool rows_are_lines = (order == Order::kRowMajor) == (transpose == Transpose::kNo);
  return rows_are_lines ? StoredLines{rows, columns} : StoredLines{columns, rows};
}

std::size_t spanned_elements(const StoredLines& stored, std::size_t ld) {
  if (stored.lines == 0 || stored.length == 0) return 0;
  return (stored.lines - 1) * ld + stored.length;
}

bool has_small_gaps(const StoredLines& stored, std::size_t ld) {
  return spanned_elements(stored, ld) <= 2 * stored.lines * stored.length;
}

bool is_one_range(const GemmCall& call, std::size_t ldc) {
  const StoredLines stored = stored_lines(call.order, Transpose::kNo, call.m, call.n);
  return stored.lines <= 1 || stored.length == ldc;
}

PartialSum make_partial_sum(const GemmCall& call) {
  const StoredLines stored = stored_lines(call.order, Transpose::kNo, call.m, call.n);
  PartialSum sum;
  sum.memory.resize(stored.lines * stored.length * bytes_per_element(call.type));
  sum.c = {sum.memory.data(), std::max<std::size_t>(1, stored.length)};
  return sum;
}

void add_partial_sum(const GemmCall& call, const PartialSum& sum, const HostPointer& c) {
  const StoredLines stored = stored_lines(call.order, Transpose::kNo, call.m, call.n);
  const std::size_t reals = is_complex(call.type) ? 2 : 1;
  if (element_precision(call.type) == Precision::kDouble) {
    add_lines<double>(stored, reals, sum, c);
  } else {
    add_lines<float>(stored, reals, sum, c);
  }
}

}  // namespace tilewright
