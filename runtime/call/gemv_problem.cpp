#include "runtime/call/gemv_problem.hpp"

#include <utility>

#include "runtime/call/operand_check.hpp"

namespace tilewright {
namespace {

struct GemvRoles {
  OperandRole a, x, y;
};

GemvRoles operand_roles(const GemvCall& call) {
  const bool row_major = call.order == Order::kRowMajor;
  const bool transposed = call.trans != Transpose::kNo;
  const std::size_t bytes = bytes_per_element(call.type);
  const std::size_t most = max_extent(call.type);
  GemvRoles roles{
      {"A", "leading dimension", TW_INVALID_LD_A, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A,
       row_major ? call.m : call.n, row_major ? call.n : call.m, bytes, most},
      {"x", "increment", TW_INVALID_INC_X, TW_INVALID_BUFFER_X, TW_INSUFFICIENT_BUFFER_X,
       transposed ? call.m : call.n, 1, bytes, most},
      {"y", "increment", TW_INVALID_INC_Y, TW_INVALID_BUFFER_Y, TW_INSUFFICIENT_BUFFER_Y,
       transposed ? call.n : call.m, 1, bytes, most}};
  roles.y.is_read = rounded_to(element_precision(call.type), call.beta) != 0.0;
  roles.y.is_written = true;
  return roles;
}

Matrix column(const Vector& vector) {
  return {vector.buffer, vector.offset, vector.increment};
}

// As a row-major product: the memory of a column-major matrix is the row-major form of its
// transpose.
GemmCall as_product(const GemvCall& call) {
  const bool transposed = call.trans != Transpose::kNo;
  const bool by_rows = call.order == Order::kRowMajor;
  GemmCall product;
  product.m = transposed ? call.n : call.m;
  product.n = 1;
  product.k = transposed ? call.m : call.n;
  product.alpha = call.alpha;
  product.beta = call.beta;
  product.type = call.type;
  product.trans_a = transposed == by_rows ? Transpose::kYes : Transpose::kNo;
  return product;
}

}  // namespace

GemmProblem resolve(const GemvCall& call, const Matrix& a, const Vector& x, const Vector& y) {
  check_element_type(call.type);
  check_order(call.order);
  check_transpose("trans", call.trans);
  check_dimension('m', call.m, max_extent(call.type));
  check_dimension('n', call.n, max_extent(call.type));
  const GemvRoles roles = operand_roles(call);
  check_ld(roles.a, a.ld);
  check_ld(roles.x, x.increment);
  check_ld(roles.y, y.increment);
  GemmProblem problem = resolve(as_product(call), a, column(x), column(y));
  if (problem.complex) problem.complex->conjugate_a = call.trans == Transpose::kConjugate;
  return problem;
}

void check_buffers(const GemvCall& call, const Matrix& a, const Vector& x, const Vector& y,
                   cl_context context) {
  const GemvRoles roles = operand_roles(call);
  if (roles.y.lines == 0) return;
  if (rounded_to(element_precision(call.type), call.alpha) != 0.0 && roles.x.lines > 0) {
    check_buffer(roles.a, a, context);
    check_buffer(roles.x, column(x), context);
  }
  check_buffer(roles.y, column(y), context);
}

}  // namespace tilewright
