// Tests matrix-vector products on a device: semantics of BLAS, errors, and which kernels are used.
#include "blas_case.hpp"
#include "catch.hpp"

namespace tilewright {
namespace {

Vector to_vector(const Matrix& column) {
  return {column.buffer, column.offset, column.ld};
}

// The case has one column and is row-major.
GemvCall make_gemv_call(const BlasCase& test, Order order) {
  const bool transposed = test.call.trans_a == Transpose::kYes;
  // The same memory read in column-major order is the transpose.
  const bool by_rows = order == Order::kRowMajor;
  GemvCall call;
  call.m = by_rows ? test.a.lines : test.a.length;
  call.n = by_rows ? test.a.length : test.a.lines;
  call.alpha = test.call.alpha;
  call.beta = test.call.beta;
  call.trans = transposed == by_rows ? Transpose::kYes : Transpose::kNo;
  call.order = order;
  return call;
}

std::string run_case(const TestDevice& d, LibraryHandle& library, const BlasCase& test,
                     Order order) {
  const Matrix a = upload(d, test.a);
  const Matrix x = upload(d, test.b);
  const Matrix y = upload(d, test.c);
  const cl::Event done =
      library->gemv(d.queue, make_gemv_call(test, order), a, to_vector(x), to_vector(y));
  return test.wrong(download(d, y, {done}));
}

TEST_CASE("gemv with every layout, transpose, scalar, offset, increment and size class") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  constexpr std::size_t kSizes[][2] = {{0, 5},   {5, 0},   {1, 1},    {1, 300},  {300, 1},
                                       {31, 33}, {64, 64}, {127, 65}, {17, 1031}};
  constexpr float kScalars[][2] = {{1.0f, 0.0f}, {-3.14f, 1.0f}, {0.0f, 2.0f}, {1.5f, -0.5f}};
  unsigned seed = 0;
  for (const auto& [m, k] : kSizes) {
    for (const Transpose trans : {Transpose::kNo, Transpose::kYes}) {
      for (const auto& [alpha, beta] : kScalars) {
        for (const auto& [offset, gap] : {std::pair{0, 0}, {10, 2}}) {
          const BlasCase test(
              {.m = m, .n = 1, .k = k, .alpha = alpha, .beta = beta, .trans_a = trans},
              static_cast<std::size_t>(offset), static_cast<std::size_t>(gap), ++seed);
          for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
            INFO(m << "x" << k << " case " << seed << " order " << static_cast<int>(order));
            CHECK(run_case(d, library, test, order) == "");
          }
        }
      }
    }
  }
}

struct Refusal {
  tw_status status;
  std::string message;
};

// Status for y = A x with a 2 x 3 matrix in buffers of 8 elements, after a change.
template <class Change>
Refusal find_refusal(const TestDevice& d, const Change& change) {
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  GemvCall call{.m = 2, .n = 3};
  const auto buffer = [&] { return cl::Buffer(d.context, CL_MEM_READ_WRITE, 8 * sizeof(float)); };
  Matrix a{buffer(), 0, 3};
  Vector x{buffer()};
  Vector y{buffer()};
  change(call, a, x, y);
  try {
    library->gemv(d.queue, call, a, x, y).wait();
  } catch (const Error& error) {
    return {error.status(), error.what()};
  }
  return {TW_SUCCESS, ""};
}

TEST_CASE("the first invalid argument of gemv, in the order of BLAS, is reported") {
  const TestDevice d;
  const auto check = [&](tw_status status, const char* words, auto change) {
    const Refusal refusal = find_refusal(d, change);
    INFO(refusal.message);
    CHECK(refusal.status == status);
    CHECK(refusal.message.find(words) != std::string::npos);
  };
  using M = Matrix;
  using V = Vector;
  check(TW_SUCCESS, "", [](GemvCall&, M&, V&, V&) {});
  check(TW_INVALID_VALUE, "layout 7", [](GemvCall& call, M& a, V&, V&) {
    call.order = static_cast<Order>(7);
    call.trans = static_cast<Transpose>(8);
    a.ld = 0;
  });
  check(TW_INVALID_VALUE, "trans 8", [](GemvCall& call, M& a, V&, V&) {
    call.trans = static_cast<Transpose>(8);
    a.ld = 0;
  });
  check(TW_INVALID_DIMENSION, "n is 2000000001", [](GemvCall& call, M& a, V&, V&) {
    call.n = 2'000'000'001;
    a.ld = 0;
  });
  check(TW_INVALID_LD_A, "leading dimension of A is 2", [](GemvCall&, M& a, V& x, V&) {
    a.ld = 2;
    x.increment = 0;
  });
  check(TW_INVALID_INC_X, "increment of x is 0", [](GemvCall&, M& a, V& x, V& y) {
    a.buffer = cl::Buffer();
    x.increment = y.increment = 0;
  });
  check(TW_INVALID_INC_Y, "increment of y is 0", [](GemvCall&, M& a, V&, V& y) {
    a.buffer = cl::Buffer();
    y.increment = 0;
  });
  check(TW_INVALID_BUFFER_A, "the buffer of A is null",
        [](GemvCall&, M& a, V& x, V&) { a.buffer = x.buffer = cl::Buffer(); });
  check(TW_INSUFFICIENT_BUFFER_A, "the buffer of A has 8 elements, but needs 9 (offset 3 + 6)",
        [](GemvCall&, M& a, V&, V&) { a.offset = 3; });
  check(TW_INVALID_BUFFER_X, "the buffer of x is null",
        [](GemvCall&, M&, V& x, V&) { x.buffer = cl::Buffer(); });
  check(TW_INSUFFICIENT_BUFFER_X, "the buffer of x has 8",
        [](GemvCall&, M&, V& x, V&) { x.increment = 4; });
  check(TW_INVALID_BUFFER_Y, "the buffer of y is null",
        [](GemvCall&, M&, V&, V& y) { y.buffer = cl::Buffer(); });
  check(TW_INSUFFICIENT_BUFFER_Y, "the buffer of y has 8",
        [](GemvCall&, M&, V&, V& y) { y.offset = 7; });
  check(TW_INVALID_BUFFER_X, "the buffer of x is CL_MEM_WRITE_ONLY", [&](GemvCall&, M&, V& x, V&) {
    x.buffer = cl::Buffer(d.context, CL_MEM_WRITE_ONLY, 8 * sizeof(float));
  });
  check(TW_INVALID_BUFFER_Y, "the buffer of y is CL_MEM_READ_ONLY", [&](GemvCall&, M&, V&, V& y) {
    y.buffer = cl::Buffer(d.context, CL_MEM_READ_ONLY, 8 * sizeof(float));
  });
  // The lengths of the vectors depend on the transpose.
  check(TW_INSUFFICIENT_BUFFER_Y, "the buffer of y has 8", [](GemvCall& call, M&, V&, V& y) {
    call.trans = Transpose::kYes;
    y.increment = 4;
  });
  // Buffers that are not read may be null.
  check(TW_SUCCESS, "", [](GemvCall& call, M& a, V& x, V&) {
    call.alpha = 0.0f;
    a.buffer = x.buffer = cl::Buffer();
  });
}

TEST_CASE("the C function does the same, and waits for its events") {
  const TestDevice d;
  tw_library* library = nullptr;
  REQUIRE(tw_open(d.context(), d.device(), nullptr, &library) == TW_SUCCESS);
  const BlasCase test({.m = 9, .n = 1, .k = 7, .alpha = 2.0f, .beta = 0.0f}, 3, 1, 5);
  const Matrix a = upload(d, test.a);
  const Matrix x = upload(d, test.b);
  const Matrix y = upload(d, test.c);
  const cl::UserEvent gate(d.context);
  const cl_event wait = gate();
  cl::Event done;
  const auto call = [&](std::size_t incx) {
    return tw_sgemv(library, d.queue(), TW_ROW_MAJOR, TW_NO_TRANS, 9, 7, 2.0f, a.buffer(), a.offset,
                    a.ld, x.buffer(), x.offset, incx, 0.0f, y.buffer(), y.offset, y.ld, 1, &wait,
                    &done());
  };
  CHECK(call(0) == TW_INVALID_INC_X);
  CHECK(std::string(tw_last_error()).find("increment of x") != std::string::npos);
  CHECK(std::string(tw_status_name(TW_INVALID_INC_X)) == "TW_INVALID_INC_X");
  REQUIRE(call(x.ld) == TW_SUCCESS);
  CHECK(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  cl::UserEvent(gate).setStatus(CL_COMPLETE);
  CHECK(test.wrong(download(d, y, {done})) == "");
  tw_close(library);
}

}  // namespace
}  // namespace tilewright
