#include "runtime/call/gemm_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "runtime/call/buffer_alignment.hpp"
#include "runtime/call/operand_check.hpp"

namespace tilewright {
namespace {

struct Roles {
  OperandRole a, b, c;
};

Roles operand_roles(const GemmCall& call) {
  const bool row_major = call.order == Order::kRowMajor;
  const auto with_extents = [&](OperandRole role, std::size_t rows, std::size_t columns,
                                bool transposed) {
    const bool rows_are_lines = row_major != transposed;
    role.lines = rows_are_lines ? rows : columns;
    role.length = rows_are_lines ? columns : rows;
    role.element_bytes = bytes_per_element(call.type);
    role.max_ld = max_extent(call.type);
    return role;
  };
  constexpr const char* kLd = "leading dimension";
  Roles roles{
      with_extents({"A", kLd, TW_INVALID_LD_A, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A},
                   call.m, call.k, call.trans_a != Transpose::kNo),
      with_extents({"B", kLd, TW_INVALID_LD_B, TW_INVALID_BUFFER_B, TW_INSUFFICIENT_BUFFER_B},
                   call.k, call.n, call.trans_b != Transpose::kNo),
      with_extents({"C", kLd, TW_INVALID_LD_C, TW_INVALID_BUFFER_C, TW_INSUFFICIENT_BUFFER_C},
                   call.m, call.n, false)};
  roles.c.is_read = rounded_to(element_precision(call.type), call.beta) != 0.0;
  roles.c.is_written = true;
  return roles;
}

OperandRole operand_role(const Roles& roles, char name) {
  return name == 'A' ? roles.a : name == 'B' ? roles.b : roles.c;
}

void check_enumerations(const GemmCall& call) {
  check_element_type(call.type);
  check_order(call.order);
  check_transpose("trans_a", call.trans_a);
  check_transpose("trans_b", call.trans_b);
}

void check_dimensions(const GemmCall& call) {
  for (const auto& [name, value] : {std::pair{'m', call.m}, {'n', call.n}, {'k', call.k}}) {
    check_dimension(name, value, max_extent(call.type));
  }
}

Op op_from(bool a_transposed, bool b_transposed) {
  if (a_transposed) return b_transposed ? Op::kTT : Op::kTN;
  return b_transposed ? Op::kNT : Op::kNN;
}

void set_scalars(GemmProblem& problem, const GemmCall& call) {
  const std::complex<double> alpha = rounded_to(problem.precision, call.alpha);
  const std::complex<double> beta = rounded_to(problem.precision, call.beta);
  if (is_complex(call.type)) {
    problem.alpha = alpha == 0.0 ? 0.0 : 1.0;
    problem.beta = beta == 0.0 ? 0.0 : 1.0;
    problem.complex = ComplexPart{alpha, beta, call.trans_a == Transpose::kConjugate,
                                  call.trans_b == Transpose::kConjugate};
    if (call.order == Order::kColumnMajor) {
      std::swap(problem.complex->conjugate_a, problem.complex->conjugate_b);
    }
    return;
  }
  if (call.alpha.imag() != 0.0 || call.beta.imag() != 0.0) {
    throw Error(TW_INVALID_VALUE, "alpha or beta has an imaginary part, but the matrices are real");
  }
  problem.alpha = alpha.real();
  problem.beta = beta.real();
}

// Only for matrices that are accessed: the matrices of an empty product need not be buffers.
void set_alignments(GemmProblem& problem) {
  if (problem.shape.m == 0 || problem.shape.n == 0) return;
  for (MatrixArgument* matrix : {&problem.a, &problem.b, &problem.c}) {
    matrix->start_alignment =
        buffer_alignment(matrix->buffer, bytes_per_element(problem.precision));
  }
}

}  // namespace

Precision element_precision(ElementType type) {
  switch (type) {
    case ElementType::kDouble:
    case ElementType::kComplexDouble:
      return Precision::kDouble;
    case ElementType::kHalf:
      return Precision::kHalf;
    case ElementType::kFloat:
    case ElementType::kComplexFloat:
      break;
  }
  return Precision::kSingle;
}

ElementType to_element_type(Precision precision) {
  switch (precision) {
    case Precision::kDouble:
      return ElementType::kDouble;
    case Precision::kHalf:
      return ElementType::kHalf;
    case Precision::kSingle:
      break;
  }
  return ElementType::kFloat;
}

ElementType to_element_type(const GemmProblem& problem) {
  if (!problem.complex) return to_element_type(problem.precision);
  return problem.precision == Precision::kDouble ? ElementType::kComplexDouble
                                                 : ElementType::kComplexFloat;
}

std::size_t bytes_per_element(ElementType type) {
  return (is_complex(type) ? 2 : 1) * bytes_per_element(element_precision(type));
}

std::string of_elements(Precision precision) {
  if (precision == Precision::kSingle) return "";
  return fmt::format(" in {}", elements_text(precision));
}

double rounded_to(Precision precision, double scalar) {
  return precision == Precision::kDouble ? scalar : static_cast<double>(static_cast<float>(scalar));
}

std::complex<double> rounded_to(Precision precision, const std::complex<double>& scalar) {
  return {rounded_to(precision, scalar.real()), rounded_to(precision, scalar.imag())};
}

bool reads_operands(const GemmCall& call) {
  return call.k > 0 && rounded_to(element_precision(call.type), call.alpha) != 0.0;
}

std::pair<Op, GemmShape> row_major_shape(const GemmCall& call) {
  check_enumerations(call);
  check_dimensions(call);
  GemmShape shape{static_cast<std::int64_t>(call.m), static_cast<std::int64_t>(call.n),
                  static_cast<std::int64_t>(call.k)};
  bool a = call.trans_a != Transpose::kNo;
  bool b = call.trans_b != Transpose::kNo;
  if (call.order == Order::kColumnMajor) {
    std::swap(shape.m, shape.n);
    std::swap(a, b);
  }
  return {op_from(a, b), shape};
}

GemmProblem resolve(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c) {
  GemmProblem problem;
  std::tie(problem.op, problem.shape) = row_major_shape(call);
  const Roles roles = operand_roles(call);
  check_ld(roles.a, a.ld);
  check_ld(roles.b, b.ld);
  check_ld(roles.c, c.ld);
  problem.precision = element_precision(call.type);
  set_scalars(problem, call);
  problem.a = {a.buffer(), a.offset, a.ld};
  problem.b = {b.buffer(), b.offset, b.ld};
  problem.c = {c.buffer(), c.offset, c.ld};
  if (call.order == Order::kColumnMajor) std::swap(problem.a, problem.b);
  if (!reads_operands(call)) {
    // C = beta C. The loop of the kernel does not run, and alpha must not turn its sum of zero into
    // NaN. C is passed as A and B, too, because some drivers reject null arguments even if they are
    // not read.
    problem.op = Op::kNN;
    problem.shape.k = 0;
    problem.alpha = 0.0;
    if (problem.complex) problem.complex->alpha = 0.0;
    problem.a = problem.c;
    problem.b = problem.c;
  }
  set_alignments(problem);
  return problem;
}

Matrices dense_matrices(const GemmCall& call) {
  check_enumerations(call);
  const Roles roles = operand_roles(call);
  const auto dense = [](const OperandRole& role) {
    return Matrix{{}, 0, std::max<std::size_t>(1, role.length)};
  };
  return {dense(roles.a), dense(roles.b), dense(roles.c)};
}

GemmProblem resolve_dense(const GemmCall& call) {
  const Matrices dense = dense_matrices(call);
  return resolve(call, dense.a, dense.b, dense.c);
}

void check_buffers(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c,
                   cl_context context) {
  if (call.m == 0 || call.n == 0) return;
  const Roles roles = operand_roles(call);
  if (reads_operands(call)) {
    check_buffer(roles.a, a, context);
    check_buffer(roles.b, b, context);
  }
  check_buffer(roles.c, c, context);
}

void check_matrix(const GemmCall& call, char name, const Matrix& matrix, cl_context context) {
  const OperandRole role = operand_role(operand_roles(call), name);
  check_ld(role, matrix.ld);
  check_buffer(role, matrix, context);
}

}  // namespace tilewright
