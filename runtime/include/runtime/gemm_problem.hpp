// What does a BLAS call ask for, once all its conventions are resolved?
//
// A GemmProblem is row-major. A column-major call becomes one by swapping A with B and m with n,
// since C^T = op(B)^T op(A)^T and a column-major matrix is the row-major form of its transpose.
#pragma once

#include <cstdint>
#include <utility>

#include <tilewright/library.hpp>
#include "profiles/kernel_record.hpp"

namespace tilewright {

// Extents and leading dimensions are 32-bit in kernels, with room for the tiles past an edge.
inline constexpr std::size_t kMaxExtent = 2'000'000'000;

struct MatrixArgument {
  cl_mem buffer = nullptr;
  std::size_t offset = 0;  // elements
  std::size_t ld = 0;      // elements
};

struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool operator==(const GemmShape&) const = default;
};

struct GemmProblem {
  Op op = Op::kNN;
  GemmShape shape;  // k is 0 where A and B are not to be read
  float alpha = 1.0f;
  float beta = 0.0f;
  MatrixArgument a;
  MatrixArgument b;
  MatrixArgument c;
};

// Checks the scalars of a call in BLAS' order and resolves its conventions; the buffers are not
// looked at. Throws Error with the status of the first argument that is wrong.
GemmProblem resolve(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c);

// Throws Error unless the buffers that the call reads or writes belong to the context and hold
// their matrices whole.
void check_buffers(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c,
                   cl_context context);

// The shape and operands that a call has as a row-major product. Throws as resolve() does for the
// dimensions and enumerations.
std::pair<Op, GemmShape> row_major_shape(const GemmCall& call);

}  // namespace tilewright
