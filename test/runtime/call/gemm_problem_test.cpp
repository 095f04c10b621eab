#include "runtime/call/gemm_problem.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

GemmCall make_gemm_call(Order order, Transpose a, Transpose b) {
  return {.m = 3, .n = 5, .k = 7, .trans_a = a, .trans_b = b, .order = order};
}

tw_status thrown_status(const GemmCall& call, std::size_t lda, std::size_t ldb, std::size_t ldc) {
  try {
    resolve(call, {{}, 0, lda}, {{}, 0, ldb}, {{}, 0, ldc});
    return TW_SUCCESS;
  } catch (const Error& error) {
    return error.status();
  }
}

constexpr auto kNo = Transpose::kNo;
constexpr auto kYes = Transpose::kYes;

TEST_CASE("row-major calls keep their operands") {
  const auto op = [](Transpose a, Transpose b) {
    return row_major_shape(make_gemm_call(Order::kRowMajor, a, b)).first;
  };
  CHECK(op(kNo, kNo) == Op::kNN);
  CHECK(op(kNo, kYes) == Op::kNT);
  CHECK(op(kYes, kNo) == Op::kTN);
  CHECK(op(kYes, kYes) == Op::kTT);
  CHECK(row_major_shape(make_gemm_call(Order::kRowMajor, kNo, kNo)).second == GemmShape{3, 5, 7});
}

TEST_CASE("column-major calls become row-major with the operands swapped") {
  const GemmCall call = make_gemm_call(Order::kColumnMajor, kYes, kNo);
  const GemmProblem problem = resolve(call, {{}, 11, 7}, {{}, 22, 8}, {{}, 33, 9});
  CHECK(problem.op == Op::kNT);  // op(A) = A^T is now the second operand
  CHECK(problem.shape == GemmShape{5, 3, 7});
  CHECK(problem.a.offset == 22);
  CHECK(problem.a.ld == 8);
  CHECK(problem.b.offset == 11);
  CHECK(problem.b.ld == 7);
  CHECK(problem.c.offset == 33);
  CHECK(problem.c.ld == 9);
}

TEST_CASE("leading dimensions must be at least the length of a line as stored") {
  struct Case {
    Order order;
    Transpose a, b;
    std::size_t lda, ldb, ldc;  // the minimum values for m, n, k = 3, 5, 7
  };
  const auto row = Order::kRowMajor;
  const auto column = Order::kColumnMajor;
  const Case cases[] = {{row, kNo, kNo, 7, 5, 5},     {row, kNo, kYes, 7, 7, 5},
                        {row, kYes, kNo, 3, 5, 5},    {row, kYes, kYes, 3, 7, 5},
                        {column, kNo, kNo, 3, 7, 3},  {column, kNo, kYes, 3, 5, 3},
                        {column, kYes, kNo, 7, 7, 3}, {column, kYes, kYes, 7, 5, 3}};
  for (const Case& c : cases) {
    const GemmCall call = make_gemm_call(c.order, c.a, c.b);
    CHECK(thrown_status(call, c.lda, c.ldb, c.ldc) == TW_SUCCESS);
    CHECK(thrown_status(call, c.lda - 1, c.ldb, c.ldc) == TW_INVALID_LD_A);
    CHECK(thrown_status(call, c.lda, c.ldb - 1, c.ldc) == TW_INVALID_LD_B);
    CHECK(thrown_status(call, c.lda, c.ldb, c.ldc - 1) == TW_INVALID_LD_C);
    CHECK(thrown_status(call, c.lda + 9, c.ldb + 9, c.ldc + 9) == TW_SUCCESS);
    // The first invalid argument determines the status.
    CHECK(thrown_status(call, c.lda - 1, c.ldb - 1, c.ldc - 1) == TW_INVALID_LD_A);
    CHECK(thrown_status(call, kMaxExtent + 1, c.ldb, c.ldc) == TW_INVALID_LD_A);
  }
}

TEST_CASE("empty matrices still need a leading dimension of at least 1, as in BLAS") {
  const GemmCall empty{.m = 0, .n = 0, .k = 0};
  CHECK(thrown_status(empty, 1, 1, 1) == TW_SUCCESS);
  CHECK(thrown_status(empty, 0, 1, 1) == TW_INVALID_LD_A);
  CHECK(thrown_status(empty, 1, 0, 1) == TW_INVALID_LD_B);
  CHECK(thrown_status(empty, 1, 1, 0) == TW_INVALID_LD_C);
}

TEST_CASE("dimensions beyond 32 bits and unknown enumerators are rejected") {
  CHECK(thrown_status({.m = kMaxExtent + 1}, 1, 1, 1) == TW_INVALID_DIMENSION);
  CHECK(thrown_status({.n = kMaxExtent + 1}, 1, 1, 1) == TW_INVALID_DIMENSION);
  CHECK(thrown_status({.k = std::size_t(-1)}, 1, 1, 1) == TW_INVALID_DIMENSION);
  CHECK(thrown_status({.trans_a = Transpose(114)}, 1, 1, 1) == TW_INVALID_VALUE);
  CHECK(thrown_status({.trans_b = Transpose(0)}, 1, 1, 1) == TW_INVALID_VALUE);
  CHECK(thrown_status({.order = Order(100)}, 1, 1, 1) == TW_INVALID_VALUE);
}

TEST_CASE("if A and B are not read, their values do not reach the kernel") {
  for (const GemmCall& call :
       {GemmCall{
            .m = 3, .n = 5, .k = 0, .alpha = 2.0f, .beta = 3.0f, .trans_a = kYes, .trans_b = kYes},
        GemmCall{.m = 3,
        .n = 5,
        .k = 7,
        .alpha = 0.0f,
        .beta = 3.0f,
        .trans_a = kYes,
        .trans_b = kYes}}) {
    const GemmProblem problem = resolve(call, {{}, 10, 9}, {{}, 20, 9}, {{}, 30, 9});
    CHECK(problem.op == Op::kNN);  // nothing to pack
    CHECK(problem.shape == GemmShape{3, 5, 0});
    CHECK(problem.alpha == 0.0f);  // an infinite alpha times an empty sum must not give NaN
    CHECK(problem.beta == 3.0f);
    CHECK(problem.a.offset == 30);
    CHECK(problem.b.offset == 30);
  }
}

}  // namespace
}  // namespace tilewright
