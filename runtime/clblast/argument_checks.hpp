// Checks arguments like CLBlast, with the same status codes.
//
// The library checks arguments itself. But BLAS allows arguments that CLBlast rejects (empty
// matrices; invalid operands that are not read), and if several arguments are invalid, CLBlast
// reports a different one first.
#pragma once

#include <string>

#include "clblast_abi.hpp"

namespace clblast {

// Thrown by the checks and caught in the interface functions. CLBlast's codes have no text;
// `sentence` is for the log.
struct Refused {
  StatusCode status;
  std::string sentence;
};

// Throws Refused unless `holds`.
inline void require(bool holds, StatusCode status, const char* sentence) {
  if (!holds) throw Refused{status, sentence};
}

// The part of a call's shape that the checks need.
struct CheckedCall {
  Layout layout;
  Transpose a_transpose;
  Transpose b_transpose;
  size_t m, n, k;
  size_t element_bytes;
};

// A matrix argument.
struct CheckedMatrix {
  cl_mem buffer;
  size_t offset;  // elements
  size_t ld;      // elements
};

// Rejects invalid enumerators (kInvalidValue) and dimensions of 0.
void check_shape(const CheckedCall& call);

// Then checks each operand: the leading dimension, whether the buffer is valid, whether it is large
// enough.
void check_matrices(const CheckedCall& call, const CheckedMatrix& a, const CheckedMatrix& b,
                    const CheckedMatrix& c);

// The checks of Gemv: dimensions, layout and transpose, then A, x and y, whose `ld` is the
// increment.
void check_gemv(Layout layout, Transpose a_transpose, size_t m, size_t n, size_t element_bytes,
                const CheckedMatrix& a, const CheckedMatrix& x, const CheckedMatrix& y);

// offset + index * stride, or the largest number on overflow.
size_t strided_offset(size_t offset, size_t stride, size_t index);

}  // namespace clblast
