// Tests features of the drop-in that CLBlast's own programs do not use. Does not need CLBlast.
#include <CL/cl_half.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <thread>

#include "catch.hpp"
#include "clblast_abi.hpp"
#include "forked_child.hpp"
#include "runtime/device/device_identity.hpp"
#include "scoped_variable.hpp"
#include "test_device.hpp"

namespace clblast {
namespace {

using tilewright::TestDevice;

// 2 x 2 matrices of ones. Each element of their product is 2.
struct Ones {
  cl::Buffer a, b, c;
  explicit Ones(const TestDevice& d) : a(buffer(d)), b(buffer(d)), c(buffer(d)) {}

  static cl::Buffer buffer(const TestDevice& d) {
    std::vector<float> ones(4, 1.0f);
    return {d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, ones.size() * sizeof(float),
            ones.data()};
  }

  StatusCode multiply(cl_command_queue* queue, cl_event* event, cl_mem temp_buffer = nullptr,
                      Transpose transpose = Transpose::kNo,
                      Layout layout = Layout::kRowMajor) const {
    return Gemm<float>(layout, transpose, Transpose::kNo, 2, 2, 2, 1.0f, a(), 0, 2, b(), 0, 2, 0.0f,
                       c(), 0, 2, queue, event, temp_buffer);
  }

  bool multiplied(const cl::CommandQueue& queue) const {
    std::vector<float> got(4);
    queue.enqueueReadBuffer(c, CL_TRUE, 0, got.size() * sizeof(float), got.data());
    return std::all_of(got.begin(), got.end(), [](float x) { return x == 2.0f; });
  }
};

TEST_CASE("after a call in the parent process, calls in a child process return a status") {
  const TestDevice d;
  cl_command_queue queue = d.queue();
  const Ones ones(d);
  REQUIRE(ones.multiply(&queue, nullptr) == StatusCode::kSuccess);
  REQUIRE(ones.multiplied(d.queue));
  CHECK(tilewright::run_in_child([&] {
          return ones.multiply(&queue, nullptr) == StatusCode::kForked &&
                         ClearCache() == StatusCode::kForked
                     ? 0
                     : 1;
        }) == 0);
  REQUIRE(ones.multiply(&queue, nullptr) == StatusCode::kSuccess);
  CHECK(ones.multiplied(d.queue));
}

TEST_CASE("each argument of Gemm has its effect") {
  const TestDevice d;
  // A' = 1 3 5 / 2 4 6 and B = 1 / 10 / 100, with offsets and gaps.
  std::vector<float> a{0, 1, 2, 0, 0, 3, 4, 0, 0, 5, 6};
  std::vector<float> b{0, 0, 1, 0, 10, 0, 100};
  std::vector<float> c{7, 8, 7, 7, 16};
  const cl::Buffer of_a(d.queue, a.begin(), a.end(), true);
  const cl::Buffer of_b(d.queue, b.begin(), b.end(), true);
  const cl::Buffer of_c(d.queue, c.begin(), c.end(), false);
  cl_command_queue queue = d.queue();
  REQUIRE(Gemm<float>(Layout::kRowMajor, Transpose::kYes, Transpose::kNo, 2, 1, 3, 2.0f, of_a(), 1,
                      4, of_b(), 2, 2, 0.5f, of_c(), 1, 3, &queue, nullptr,
                      nullptr) == StatusCode::kSuccess);
  cl::copy(d.queue, of_c, c.begin(), c.end());
  CHECK(c == std::vector<float>{7, 1066, 7, 7, 1292});
}

TEST_CASE("an event is optional, and a caller's temporary buffer is ignored") {
  const TestDevice d;
  cl_command_queue queue = d.queue();
  const Ones with_event(d);
  cl_event event = nullptr;
  REQUIRE(with_event.multiply(&queue, &event) == StatusCode::kSuccess);
  cl::Event(event).wait();
  CHECK(with_event.multiplied(d.queue));
  const Ones without(d);
  const cl::Buffer too_small(d.context, CL_MEM_READ_WRITE, 4);
  REQUIRE(without.multiply(&queue, nullptr, too_small()) == StatusCode::kSuccess);
  CHECK(without.multiplied(d.queue));
  std::size_t bytes = 1;
  CHECK(GemmTempBufferSize<float>(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, 500, 500, 500,
                                  0, 500, 0, 500, 0, 500, &queue, bytes) == StatusCode::kSuccess);
  CHECK(bytes == 0);
}

TEST_CASE("arguments that are undefined behaviour in CLBlast have a status") {
  const TestDevice d;
  const Ones ones(d);
  cl_command_queue queue = d.queue();
  cl_command_queue none = nullptr;
  CHECK(ones.multiply(nullptr, nullptr) == StatusCode::kInvalidCommandQueue);
  CHECK(ones.multiply(&none, nullptr) == StatusCode::kInvalidCommandQueue);
  CHECK(ones.multiply(&queue, nullptr, nullptr, Transpose{0}) == StatusCode::kInvalidValue);
  CHECK(ones.multiply(&queue, nullptr, nullptr, Transpose::kNo, Layout{0}) ==
        StatusCode::kInvalidValue);
  const std::size_t offset = 0;
  const float one = 1.0f;
  CHECK(GemmBatched<float>(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, 2, 2, 2, &one,
                           ones.a(), nullptr, 2, ones.b(), &offset, 2, &one, ones.c(), &offset, 2,
                           1, &queue, nullptr) == StatusCode::kInvalidValue);
  const TestDevice other;
  const Ones foreign(other);
  CHECK(Gemm<float>(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, 2, 2, 2, 1.0f, ones.a(), 0,
                    2, foreign.b(), 0, 2, 0.0f, ones.c(), 0, 2, &queue, nullptr,
                    nullptr) == StatusCode::kInvalidMatrixB);
}

// All elements of A are `a`, and so on. Each function gives `expected` in each element of C.
template <class Number>
struct TypedCase {
  Number alpha, a, b, beta, c, expected;
  Transpose of_a = Transpose::kYes;
};

// The four functions, each with its matrices in other places.
template <class Number>
void check_functions(const TestDevice& d, const TypedCase<Number>& x) {
  const auto all = [&](Number value) {
    std::vector<Number> four(4, value);
    return cl::Buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                      four.size() * sizeof(Number), four.data());
  };
  const cl::Buffer a = all(x.a);
  const cl::Buffer b = all(x.b);
  cl_command_queue queue = d.queue();
  const auto is = [&](const cl::Buffer& result, std::ptrdiff_t count) {
    std::vector<Number> got(4);
    d.queue.enqueueReadBuffer(result, CL_TRUE, 0, got.size() * sizeof(Number), got.data());
    return std::count(got.begin(), got.begin() + count, x.expected) == count &&
           std::count(got.begin() + count, got.end(), x.c) == 4 - count;
  };
  const cl::Buffer c = all(x.c);
  REQUIRE(Gemm<Number>(Layout::kRowMajor, x.of_a, Transpose::kYes, 2, 2, 2, x.alpha, a(), 0, 2, b(),
                       0, 2, x.beta, c(), 0, 2, &queue, nullptr, nullptr) == StatusCode::kSuccess);
  CHECK(is(c, 4));
  const cl::Buffer strided = all(x.c);
  REQUIRE(GemmStridedBatched<Number>(Layout::kRowMajor, x.of_a, Transpose::kNo, 1, 2, 2, x.alpha,
                                     a(), 0, 1, 2, b(), 0, 2, 0, x.beta, strided(), 0, 2, 2, 2,
                                     &queue, nullptr) == StatusCode::kSuccess);
  CHECK(is(strided, 4));
  const cl::Buffer listed = all(x.c);
  const std::size_t offset = 0;
  REQUIRE(GemmBatched<Number>(Layout::kColMajor, x.of_a, Transpose::kNo, 2, 2, 2, &x.alpha, a(),
                              &offset, 2, b(), &offset, 2, &x.beta, listed(), &offset, 2, 1, &queue,
                              nullptr) == StatusCode::kSuccess);
  CHECK(is(listed, 4));
  const cl::Buffer y = all(x.c);
  REQUIRE(Gemv<Number>(Layout::kColMajor, x.of_a, 2, 2, x.alpha, a(), 0, 2, b(), 0, 1, x.beta, y(),
                       0, 1, &queue, nullptr) == StatusCode::kSuccess);
  CHECK(is(y, 2));
}

// alpha is i, A 1 + 2i, B i, beta 2 and C 1 + i.
template <class Number>
void check_complex(const TestDevice& d) {
  check_functions<Number>(d, {{0, 1}, {1, 2}, {0, 1}, {2, 0}, {1, 1}, {0, -2}});
  check_functions<Number>(d,
                          {{0, 1}, {1, 2}, {0, 1}, {2, 0}, {1, 1}, {0, 6}, Transpose::kConjugate});
}

TEST_CASE("the functions for half precision and complex numbers") {
  const TestDevice d;
  const auto half = [](float value) { return cl_half_from_float(value, CL_HALF_RTE); };
  check_functions<cl_half>(
      d, {half(2.0f), half(3.0f), half(0.25f), half(-1.0f), half(0.5f), half(2.5f)});
  check_complex<std::complex<float>>(d);
}

TEST_CASE("double precision works, or is rejected if the device does not support it") {
  const TestDevice d;
  const Ones ones(d);
  cl_command_queue queue = d.queue();
  const StatusCode status =
      Gemm<double>(Layout::kRowMajor, Transpose::kNo, Transpose::kYes, 1, 2, 1, 1.0, ones.a(), 0, 1,
                   ones.b(), 0, 1, 0.0, ones.c(), 0, 4, &queue, nullptr, nullptr);
  if (!tilewright::has_extension(d.device, "cl_khr_fp64")) {
    CHECK(status == StatusCode::kNoDoublePrecision);
    return;
  }
  CHECK(status == StatusCode::kSuccess);
  // A buffer of four floats is too small for four doubles.
  CHECK(Gemm<double>(Layout::kRowMajor, Transpose::kNo, Transpose::kYes, 2, 2, 1, 1.0, ones.a(), 0,
                     1, ones.b(), 0, 1, 0.0, ones.c(), 0, 2, &queue, nullptr,
                     nullptr) == StatusCode::kInsufficientMemoryC);
  // No float is this close to 1.
  const double one = 1.0 + std::ldexp(1.0, -40);
  check_functions<double>(d, {1.0, one, 1.0, 0.5, 2.0, 2.0 * one + 1.0});
  check_complex<std::complex<double>>(d);
}

TEST_CASE("functions that only CLBlast has are not implemented if it is not loaded") {
  const TestDevice d;
  for (const char* kernel : {"Xgemm", "Xaxpy", "no kernel"}) {
    CHECK(OverrideParameters(d.device(), kernel, Precision::kSingle, {{"MWG", 32}}) ==
          StatusCode::kNotImplemented);
  }
  const Ones ones(d);
  cl_command_queue queue = d.queue();
  CHECK(Omatcopy<float>(Layout::kRowMajor, Transpose::kNo, 2, 2, 1.0f, ones.a(), 0, 2, ones.c(), 0,
                        2, &queue, nullptr) == StatusCode::kNotImplemented);
}

TEST_CASE("threads may share the first use and clear the cache") {
  const TestDevice d;
  ClearCache();
  std::vector<int> right(4, 0);
  std::vector<std::thread> threads;
  for (int& result : right) {
    threads.emplace_back([&d, &result] {
      const cl::CommandQueue own(d.context, d.device);
      cl_command_queue queue = own();
      for (int i = 0; i < 20; ++i) {
        const Ones ones(d);
        const bool called = ones.multiply(&queue, nullptr) == StatusCode::kSuccess;
        result += called && ones.multiplied(own);
        if (i % 5 == 4) ClearCache();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 20));
}

TEST_CASE("clearing the cache releases contexts") {
  const TestDevice d;
  ClearCache();
  const auto references = [&] { return d.context.getInfo<CL_CONTEXT_REFERENCE_COUNT>(); };
  {
    const Ones ones(d);
    cl_command_queue queue = d.queue();
    REQUIRE(ones.multiply(&queue, nullptr) == StatusCode::kSuccess);
    d.queue.finish();
  }
  const cl_uint open = references();
  CHECK(ClearCache() == StatusCode::kSuccess);
  CHECK(references() < open);
}

TEST_CASE("a profile that was named and cannot be used gives a database error") {
  const TestDevice d;
  const Ones ones(d);
  cl_command_queue queue = d.queue();
  {
    const tilewright::ScopedVariable profile("TILEWRIGHT_PROFILE", "/no/such/profile.toml");
    CHECK(ones.multiply(&queue, nullptr) == StatusCode::kDatabaseError);
  }
  CHECK(ones.multiply(&queue, nullptr) == StatusCode::kSuccess);
}

TEST_CASE("the cache can be filled for a device") {
  const TestDevice d;
  CHECK(FillCache(d.device()) == StatusCode::kSuccess);
  CHECK(FillCache(nullptr) == StatusCode::kInvalidValue);
}

}  // namespace
}  // namespace clblast
