#include "argument_checks.hpp"

#include <limits>

namespace clblast {
namespace {

// The status codes of an operand and its extents as stored: `lines` lines of `length` elements, ld
// apart.
struct Role {
  char name;
  StatusCode bad_ld;
  StatusCode bad_buffer;
  StatusCode short_buffer;
  size_t length;
  size_t lines;
};

bool holds(size_t elements, const Role& role, const CheckedMatrix& matrix) {
  if (matrix.offset > elements || role.length > elements - matrix.offset) return false;
  const size_t after_first_line = elements - matrix.offset - role.length;
  return role.lines == 1 || matrix.ld <= after_first_line / (role.lines - 1);
}

void check_matrix(const Role& role, const CheckedMatrix& matrix, size_t element_bytes) {
  const auto of = [&](const char* what) { return std::string(what) + role.name; };
  if (matrix.ld < role.length) {
    throw Refused{role.bad_ld,
                  of(role.length == 1 ? "the increment of " : "the leading dimension of ") +
                      " is " + std::to_string(matrix.ld) + ", less than " +
                      std::to_string(role.length) +
                      ", the length of its rows or columns as stored"};
  }
  size_t bytes = 0;
  if (matrix.buffer == nullptr || clGetMemObjectInfo(matrix.buffer, CL_MEM_SIZE, sizeof(bytes),
                                                     &bytes, nullptr) != CL_SUCCESS) {
    throw Refused{role.bad_buffer, of("no buffer is given for ")};
  }
  if (!holds(bytes / element_bytes, role, matrix)) {
    throw Refused{role.short_buffer, of("the buffer of ") + " has " + std::to_string(bytes) +
                                         " bytes, which is too short for the matrix at offset " +
                                         std::to_string(matrix.offset)};
  }
}

bool is_transpose(Transpose value) {
  return value == Transpose::kNo || value == Transpose::kYes || value == Transpose::kConjugate;
}

}  // namespace

void check_shape(const CheckedCall& call) {
  require(call.m > 0 && call.n > 0 && call.k > 0, StatusCode::kInvalidDimension,
          "m, n or k is 0, which CLBlast rejects");
  require(call.layout == Layout::kRowMajor || call.layout == Layout::kColMajor,
          StatusCode::kInvalidValue, "the layout is invalid");
  require(is_transpose(call.a_transpose) && is_transpose(call.b_transpose),
          StatusCode::kInvalidValue, "a transpose is invalid");
}

void check_matrices(const CheckedCall& call, const CheckedMatrix& a, const CheckedMatrix& b,
                    const CheckedMatrix& c) {
  const bool row_major = call.layout == Layout::kRowMajor;
  const bool a_rows_are_lines = row_major == (call.a_transpose == Transpose::kNo);
  const bool b_rows_are_lines = row_major == (call.b_transpose == Transpose::kNo);
  check_matrix({'A', StatusCode::kInvalidLeadDimA, StatusCode::kInvalidMatrixA,
                StatusCode::kInsufficientMemoryA, a_rows_are_lines ? call.k : call.m,
                a_rows_are_lines ? call.m : call.k},
               a, call.element_bytes);
  check_matrix({'B', StatusCode::kInvalidLeadDimB, StatusCode::kInvalidMatrixB,
                StatusCode::kInsufficientMemoryB, b_rows_are_lines ? call.n : call.k,
                b_rows_are_lines ? call.k : call.n},
               b, call.element_bytes);
  check_matrix(
      {'C', StatusCode::kInvalidLeadDimC, StatusCode::kInvalidMatrixC,
       StatusCode::kInsufficientMemoryC, row_major ? call.n : call.m, row_major ? call.m : call.n},
      c, call.element_bytes);
}

void check_gemv(Layout layout, Transpose a_transpose, size_t m, size_t n, size_t element_bytes,
                const CheckedMatrix& a, const CheckedMatrix& x, const CheckedMatrix& y) {
  require(m > 0 && n > 0, StatusCode::kInvalidDimension, "m or n is 0, which CLBlast rejects");
  require(layout == Layout::kRowMajor || layout == Layout::kColMajor, StatusCode::kInvalidValue,
          "the layout is invalid");
  require(is_transpose(a_transpose), StatusCode::kInvalidValue, "the transpose is invalid");
  const bool row_major = layout == Layout::kRowMajor;
  const bool transposed = a_transpose != Transpose::kNo;
  check_matrix({'A', StatusCode::kInvalidLeadDimA, StatusCode::kInvalidMatrixA,
                StatusCode::kInsufficientMemoryA, row_major ? n : m, row_major ? m : n},
               a, element_bytes);
  // A vector is treated as a matrix whose lines have one element.
  check_matrix({'x', StatusCode::kInvalidIncrementX, StatusCode::kInvalidVectorX,
                StatusCode::kInsufficientMemoryX, 1, transposed ? m : n},
               x, element_bytes);
  check_matrix({'y', StatusCode::kInvalidIncrementY, StatusCode::kInvalidVectorY,
                StatusCode::kInsufficientMemoryY, 1, transposed ? n : m},
               y, element_bytes);
}

size_t strided_offset(size_t offset, size_t stride, size_t index) {
  constexpr size_t kLargest = std::numeric_limits<size_t>::max();
  const bool fits = stride == 0 || index <= (kLargest - offset) / stride;
  return fits ? offset + index * stride : kLargest;
}

}  // namespace clblast
