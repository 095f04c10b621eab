#include "argument_checks.hpp"

#include <limits>

namespace clblast {
namespace {

// The codes of an operand and its extents as stored: `lines` of `length` elements, ld apart.
struct Role {
  StatusCode bad_ld;
  StatusCode bad_buffer;
  StatusCode short_buffer;
  size_t length;
  size_t lines;
};

void require(bool holds, StatusCode status) {
  if (!holds) throw Refused{status};
}

bool holds(size_t elements, const Role& role, const CheckedMatrix& matrix) {
  if (matrix.offset > elements || role.length > elements - matrix.offset) return false;
  const size_t behind_first_line = elements - matrix.offset - role.length;
  return role.lines == 1 || matrix.ld <= behind_first_line / (role.lines - 1);
}

void check_matrix(const Role& role, const CheckedMatrix& matrix) {
  require(matrix.ld >= role.length, role.bad_ld);
  size_t bytes = 0;
  require(matrix.buffer != nullptr && clGetMemObjectInfo(matrix.buffer, CL_MEM_SIZE, sizeof(bytes),
                                                         &bytes, nullptr) == CL_SUCCESS,
          role.bad_buffer);
  require(holds(bytes / sizeof(float), role, matrix), role.short_buffer);
}

bool is_transpose(Transpose value) {
  return value == Transpose::kNo || value == Transpose::kYes || value == Transpose::kConjugate;
}

}  // namespace

void check_shape(const CheckedCall& call) {
  require(call.m > 0 && call.n > 0 && call.k > 0, StatusCode::kInvalidDimension);
  require(call.layout == Layout::kRowMajor || call.layout == Layout::kColMajor,
          StatusCode::kInvalidValue);
  require(is_transpose(call.a_transpose) && is_transpose(call.b_transpose),
          StatusCode::kInvalidValue);
}

void check_matrices(const CheckedCall& call, const CheckedMatrix& a, const CheckedMatrix& b,
                    const CheckedMatrix& c) {
  const bool row_major = call.layout == Layout::kRowMajor;
  const bool a_rows_are_lines = row_major == (call.a_transpose == Transpose::kNo);
  const bool b_rows_are_lines = row_major == (call.b_transpose == Transpose::kNo);
  check_matrix(
      {StatusCode::kInvalidLeadDimA, StatusCode::kInvalidMatrixA, StatusCode::kInsufficientMemoryA,
       a_rows_are_lines ? call.k : call.m, a_rows_are_lines ? call.m : call.k},
      a);
  check_matrix(
      {StatusCode::kInvalidLeadDimB, StatusCode::kInvalidMatrixB, StatusCode::kInsufficientMemoryB,
       b_rows_are_lines ? call.n : call.k, b_rows_are_lines ? call.k : call.n},
      b);
  check_matrix(
      {StatusCode::kInvalidLeadDimC, StatusCode::kInvalidMatrixC, StatusCode::kInsufficientMemoryC,
       row_major ? call.n : call.m, row_major ? call.m : call.n},
      c);
}

size_t strided_offset(size_t offset, size_t stride, size_t index) {
  constexpr size_t kLargest = std::numeric_limits<size_t>::max();
  const bool fits = stride == 0 || index <= (kLargest - offset) / stride;
  return fits ? offset + index * stride : kLargest;
}

}  // namespace clblast
