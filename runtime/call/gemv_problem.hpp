// A matrix-vector call after its conventions are resolved.
//
// y = alpha op(A) x + beta y is treated as a product with one column: x and y are matrices of one
// column whose leading dimension is the increment.
#pragma once

#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

// Checks the scalars of a call in the order of BLAS (layout, trans, m, n, lda, incx, incy) and
// resolves its conventions; buffers are not checked. Throws Error with the status of the first
// invalid argument.
GemmProblem resolve(const GemvCall& call, const Matrix& a, const Vector& x, const Vector& y);

// Throws Error unless the buffers that the call accesses belong to the context and contain their
// operands completely.
void check_buffers(const GemvCall& call, const Matrix& a, const Vector& x, const Vector& y,
                   cl_context context);

}  // namespace tilewright
