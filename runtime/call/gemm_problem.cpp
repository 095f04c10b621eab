#include "runtime/call/gemm_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "runtime/call/opencl_error.hpp"

namespace tilewright {
namespace {

// Status codes and extents that belong to one operand.
struct OperandRole {
  char name;
  tw_status bad_ld;
  tw_status bad_buffer;
  tw_status short_buffer;
  std::size_t lines;   // rows (row-major) or columns (column-major) as stored
  std::size_t length;  // elements of one line
};

struct Roles {
  OperandRole a, b, c;
};

Roles roles_of(const GemmCall& call) {
  const bool row_major = call.order == Order::kRowMajor;
  const auto role = [&](char name, int index, std::size_t rows, std::size_t columns,
                        bool transposed) {
    const bool rows_are_lines = row_major != transposed;
    return OperandRole{name,
                       static_cast<tw_status>(TW_INVALID_LD_A - index),
                       static_cast<tw_status>(TW_INVALID_BUFFER_A - index),
                       static_cast<tw_status>(TW_INSUFFICIENT_BUFFER_A - index),
                       rows_are_lines ? rows : columns,
                       rows_are_lines ? columns : rows};
  };
  return {role('A', 0, call.m, call.k, call.trans_a == Transpose::kYes),
          role('B', 1, call.k, call.n, call.trans_b == Transpose::kYes),
          role('C', 2, call.m, call.n, false)};
}

OperandRole role_of(const Roles& roles, char name) {
  return name == 'A' ? roles.a : name == 'B' ? roles.b : roles.c;
}

void check_enumerations(const GemmCall& call) {
  if (call.order != Order::kRowMajor && call.order != Order::kColumnMajor) {
    throw Error(TW_INVALID_VALUE,
                fmt::format("layout {} is neither row-major (101) nor column-major (102)",
                            static_cast<int>(call.order)));
  }
  for (const auto& [name, value] :
       {std::pair{"trans_a", call.trans_a}, {"trans_b", call.trans_b}}) {
    if (value != Transpose::kNo && value != Transpose::kYes) {
      throw Error(TW_INVALID_VALUE,
                  fmt::format("{} {} is neither no-transpose (111) nor transpose (112)", name,
                              static_cast<int>(value)));
    }
  }
}

void check_dimensions(const GemmCall& call) {
  for (const auto& [name, value] : {std::pair{'m', call.m}, {'n', call.n}, {'k', call.k}}) {
    if (value > kMaxExtent) {
      throw Error(TW_INVALID_DIMENSION,
                  fmt::format("{} is {}: at most {} is served", name, value, kMaxExtent));
    }
  }
}

void check_ld(const OperandRole& role, std::size_t ld) {
  const std::size_t least = std::max<std::size_t>(1, role.length);
  if (ld < least) {
    throw Error(role.bad_ld,
                fmt::format("leading dimension of {} is {}: the matrix as stored needs at least {}",
                            role.name, ld, least));
  }
  if (ld > kMaxExtent) {
    throw Error(role.bad_ld, fmt::format("leading dimension of {} is {}: at most {} is served",
                                         role.name, ld, kMaxExtent));
  }
}

void check_buffer(const OperandRole& role, const Matrix& matrix, cl_context context) {
  const cl_mem buffer = matrix.buffer();
  if (buffer == nullptr) {
    throw Error(role.bad_buffer, fmt::format("buffer {} is null", role.name));
  }
  cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
  cl_context owner = nullptr;
  std::size_t bytes = 0;
  cl_int code = clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof(type), &type, nullptr);
  if (code == CL_SUCCESS) {
    code = clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof(owner), &owner, nullptr);
  }
  if (code == CL_SUCCESS)
    code = clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof(bytes), &bytes, nullptr);
  if (code != CL_SUCCESS) {
    throw Error(role.bad_buffer,
                fmt::format("buffer {} is no memory object: {}", role.name, opencl_code_text(code)),
                code);
  }
  if (type != CL_MEM_OBJECT_BUFFER) {
    throw Error(role.bad_buffer, fmt::format("{} is an image, not a buffer", role.name));
  }
  if (owner != context) {
    throw Error(role.bad_buffer,
                fmt::format("buffer {} belongs to another context than the library", role.name));
  }
  if (role.lines == 0 || role.length == 0) return;
  // All factors are below 2^31, so the product cannot overflow; the offset is compared, not added.
  const std::uint64_t matrix_elements =
      static_cast<std::uint64_t>(role.lines - 1) * matrix.ld + role.length;
  const std::uint64_t elements = bytes / sizeof(float);
  if (matrix.offset > elements || elements - matrix.offset < matrix_elements) {
    throw Error(
        role.short_buffer,
        fmt::format("buffer {} holds {} elements: offset {} and a matrix of {} lines, {} apart and "
                    "{} long, need {}",
                    role.name, elements, matrix.offset, role.lines, matrix.ld, role.length,
                    matrix_elements));
  }
}

bool reads_operands(const GemmCall& call) {
  return call.k > 0 && call.alpha != 0.0f;
}

Op op_from(bool a_transposed, bool b_transposed) {
  if (a_transposed) return b_transposed ? Op::kTT : Op::kTN;
  return b_transposed ? Op::kNT : Op::kNN;
}

}  // namespace

std::string to_text(const GemmShape& shape) {
  return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
}

std::pair<Op, GemmShape> row_major_shape(const GemmCall& call) {
  check_enumerations(call);
  check_dimensions(call);
  GemmShape shape{static_cast<std::int64_t>(call.m), static_cast<std::int64_t>(call.n),
                  static_cast<std::int64_t>(call.k)};
  bool a = call.trans_a == Transpose::kYes;
  bool b = call.trans_b == Transpose::kYes;
  if (call.order == Order::kColumnMajor) {
    std::swap(shape.m, shape.n);
    std::swap(a, b);
  }
  return {op_from(a, b), shape};
}

GemmProblem resolve(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c) {
  GemmProblem problem;
  std::tie(problem.op, problem.shape) = row_major_shape(call);
  const Roles roles = roles_of(call);
  check_ld(roles.a, a.ld);
  check_ld(roles.b, b.ld);
  check_ld(roles.c, c.ld);
  problem.alpha = call.alpha;
  problem.beta = call.beta;
  problem.a = {a.buffer(), a.offset, a.ld};
  problem.b = {b.buffer(), b.offset, b.ld};
  problem.c = {c.buffer(), c.offset, c.ld};
  if (call.order == Order::kColumnMajor) std::swap(problem.a, problem.b);
  if (!reads_operands(call)) {
    // C = beta C. The kernel's loop does not run, and alpha must not turn its zero sum into NaN.
    // C stands in for A and B: some drivers reject null arguments, even where nothing is read.
    problem.op = Op::kNN;
    problem.shape.k = 0;
    problem.alpha = 0.0f;
    problem.a = problem.c;
    problem.b = problem.c;
  }
  return problem;
}

Matrices dense_matrices(const GemmCall& call) {
  check_enumerations(call);
  const Roles roles = roles_of(call);
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
  const Roles roles = roles_of(call);
  if (reads_operands(call)) {
    check_buffer(roles.a, a, context);
    check_buffer(roles.b, b, context);
  }
  check_buffer(roles.c, c, context);
}

void check_matrix(const GemmCall& call, char name, const Matrix& matrix, cl_context context) {
  const OperandRole role = role_of(roles_of(call), name);
  check_ld(role, matrix.ld);
  check_buffer(role, matrix, context);
}

void check_room(char name, const cl::Buffer& buffer, std::size_t offset, std::size_t elements,
                cl_context context) {
  OperandRole line = role_of(roles_of(GemmCall{}), name);
  line.lines = 1;
  line.length = elements;
  check_buffer(line, {buffer, offset, elements}, context);
}

}  // namespace tilewright
