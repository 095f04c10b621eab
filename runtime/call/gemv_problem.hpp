// What does a product of a matrix and a vector ask for, once its conventions are resolved?
//
// y = alpha op(A) x + beta y is a product with one column: x and y are matrices of one column whose
// rows lie an increment apart.
#pragma once

#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

// Checks the scalars of a call in BLAS' order (layout, trans, m, n, lda, incx, incy) and resolves
// it; the buffers are not looked at. Throws Error with the status of the first argument that is
// wrong.
GemmProblem resolve(const GemvCall& call, const Matrix& a, const Vector& x, const Vector& y);

// Throws Error unless the buffers that the call reads or writes belong to the context and hold
// their operands whole.
void check_buffers(const GemvCall& call, const Matrix& a, const Vector& x, const Vector& y,
                   cl_context context);

}  // namespace tilewright
