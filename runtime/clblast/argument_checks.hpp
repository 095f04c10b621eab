// Which arguments does CLBlast refuse, and with which code?
//
// The library checks arguments itself, but BLAS allows what CLBlast refuses (empty matrices;
// operands that are not read), and of several bad arguments CLBlast names another one first.
#pragma once

#include <string>

#include "clblast_abi.hpp"

namespace clblast {

// Thrown by the checks; caught at the border. CLBlast's codes carry no sentence: it is for the log.
struct Refused {
  StatusCode status;
  std::string sentence;
};

inline void require(bool holds, StatusCode status, const char* sentence) {
  if (!holds) throw Refused{status, sentence};
}

// The shape of a call, as far as the checks need it.
struct CheckedCall {
  Layout layout;
  Transpose a_transpose;
  Transpose b_transpose;
  size_t m, n, k;
  size_t element_bytes;
};

struct CheckedMatrix {
  cl_mem buffer;
  size_t offset;  // elements
  size_t ld;      // elements
};

// Refuses enumerations without meaning (kInvalidValue) and dimensions that are 0.
void check_shape(const CheckedCall& call);

// Then, operand by operand: the leading dimension, whether the buffer is one, whether it is large
// enough.
void check_matrices(const CheckedCall& call, const CheckedMatrix& a, const CheckedMatrix& b,
                    const CheckedMatrix& c);

// Those of Gemv: the dimensions, the layout and the transpose, then A, x and y, of which the
// increment is `ld`.
void check_gemv(Layout layout, Transpose a_transpose, size_t m, size_t n, size_t element_bytes,
                const CheckedMatrix& a, const CheckedMatrix& x, const CheckedMatrix& y);

// offset + index * stride, or the largest number if that does not fit.
size_t strided_offset(size_t offset, size_t stride, size_t index);

}  // namespace clblast
