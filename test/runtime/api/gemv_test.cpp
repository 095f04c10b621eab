// Tests matrix-vector products on a device: semantics of BLAS, errors, and which kernels are used.
#include "api/c_open.hpp"
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

// Arguments of tw_sgemv for a 2 x 3 matrix in buffers of 8 elements.
struct GemvArguments {
  tw_layout layout = TW_ROW_MAJOR;
  tw_transpose trans = TW_NO_TRANS;
  std::size_t m = 2, n = 3;
  float alpha = 1.0f;
  cl_mem a = nullptr, x = nullptr, y = nullptr;
  std::size_t offset_a = 0, lda = 3, incx = 1, offset_y = 0, incy = 1;
};

TEST_CASE("the first invalid argument of gemv, in the order of BLAS, is reported") {
  const TestDevice d;
  const OpenLibrary open(d);
  const auto buffer = [&](cl_mem_flags flags) {
    return cl::Buffer(d.context, flags, 8 * sizeof(float));
  };
  const cl::Buffer any = buffer(CL_MEM_READ_WRITE);
  const cl::Buffer only_read = buffer(CL_MEM_READ_ONLY);
  const cl::Buffer only_written = buffer(CL_MEM_WRITE_ONLY);
  using Arguments = GemvArguments;
  const auto with = [&](auto change) {
    Arguments v;
    v.a = v.x = any();
    const cl::Buffer y = buffer(CL_MEM_READ_WRITE);
    v.y = y();
    change(v);
    const tw_status status =
        tw_sgemv(open.library, d.queue(), v.layout, v.trans, v.m, v.n, v.alpha, v.a, v.offset_a,
                 v.lda, v.x, 0, v.incx, 0.0f, v.y, v.offset_y, v.incy, 0, nullptr, nullptr);
    d.queue.finish();
    CHECK((status == TW_SUCCESS) == std::string(tw_last_error()).empty());
    return status;
  };
  // Each row has the argument that is reported, and a later one that is invalid, too.
  CHECK(with([](Arguments&) {}) == TW_SUCCESS);
  CHECK(with([](Arguments& v) { v.layout = tw_layout(7), v.lda = 0; }) == TW_INVALID_VALUE);
  CHECK_THAT(tw_last_error(), Catch::Matchers::ContainsSubstring("layout"));
  CHECK(with([](Arguments& v) { v.trans = tw_transpose(8), v.lda = 0; }) == TW_INVALID_VALUE);
  CHECK_THAT(tw_last_error(), Catch::Matchers::ContainsSubstring("trans"));
  CHECK(with([](Arguments& v) { v.n = 2'000'000'001, v.lda = 0; }) == TW_INVALID_DIMENSION);
  CHECK(with([](Arguments& v) { v.lda = 2, v.incx = 0; }) == TW_INVALID_LD_A);
  CHECK(with([](Arguments& v) { v.incx = v.incy = 0, v.a = nullptr; }) == TW_INVALID_INC_X);
  CHECK(with([](Arguments& v) { v.incy = 0, v.a = nullptr; }) == TW_INVALID_INC_Y);
  CHECK(with([](Arguments& v) { v.a = v.x = nullptr; }) == TW_INVALID_BUFFER_A);
  CHECK(with([](Arguments& v) { v.offset_a = 3, v.x = nullptr; }) == TW_INSUFFICIENT_BUFFER_A);
  CHECK(with([](Arguments& v) { v.x = v.y = nullptr; }) == TW_INVALID_BUFFER_X);
  CHECK(with([](Arguments& v) { v.incx = 4, v.y = nullptr; }) == TW_INSUFFICIENT_BUFFER_X);
  CHECK(with([](Arguments& v) { v.y = nullptr; }) == TW_INVALID_BUFFER_Y);
  CHECK(with([](Arguments& v) { v.offset_y = 7; }) == TW_INSUFFICIENT_BUFFER_Y);
  CHECK(with([&](Arguments& v) { v.x = only_written(); }) == TW_INVALID_BUFFER_X);
  CHECK(with([&](Arguments& v) { v.y = only_read(); }) == TW_INVALID_BUFFER_Y);
  // The lengths of the vectors depend on the transpose.
  CHECK(with([](Arguments& v) { v.trans = TW_TRANS, v.incy = 4; }) == TW_INSUFFICIENT_BUFFER_Y);
  // Buffers that are not read may be null.
  CHECK(with([](Arguments& v) { v.alpha = 0.0f, v.a = v.x = nullptr; }) == TW_SUCCESS);
}

TEST_CASE("C: gemv forwards each argument, and waits for its events") {
  const TestDevice d;
  const OpenLibrary open(d);
  const BlasCase test({.m = 9, .n = 1, .k = 7, .alpha = 2.0f, .beta = 0.5f}, 3, 1, 5);
  const Matrix a = upload(d, test.a);
  const Matrix x = upload(d, test.b);
  const Matrix y = upload(d, test.c);
  const cl::UserEvent gate(d.context);
  const cl_event wait = gate();
  cl::Event done;
  REQUIRE(tw_sgemv(open.library, d.queue(), TW_ROW_MAJOR, TW_NO_TRANS, 9, 7, 2.0f, a.buffer(),
                   a.offset, a.ld, x.buffer(), x.offset, x.ld, 0.5f, y.buffer(), y.offset, y.ld, 1,
                   &wait, &done()) == TW_SUCCESS);
  CHECK(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  cl::UserEvent(gate).setStatus(CL_COMPLETE);
  CHECK(test.wrong(download(d, y, {done})) == "");
}

}  // namespace
}  // namespace tilewright
