// The library on a device: BLAS semantics in full, events, threads, errors before anything is
// enqueued.
#include <thread>

#include "blas_case.hpp"
#include "catch.hpp"

namespace tilewright {
namespace {

std::string serve(const TestDevice& d, Library& library, const BlasCase& test) {
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const cl::Event done = library.sgemm(d.queue, test.call, a, b, c);
  return test.wrong(download(d, c, {done}));
}

TEST_CASE("every layout, transposition, scalar, offset and gap gives the BLAS result") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  unsigned seed = 0;
  for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
    for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
      for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
        for (const float alpha : {0.0f, 1.0f, -3.14f}) {
          for (const float beta : {0.0f, 1.0f, 3.14f}) {
            for (const auto& [offset, gap] : {std::pair{0, 0}, {10, 3}}) {
              const BlasCase test({.m = 13,
                                   .n = 9,
                                   .k = 21,
                                   .alpha = alpha,
                                   .beta = beta,
                                   .trans_a = ta,
                                   .trans_b = tb,
                                   .order = order},
                                  static_cast<std::size_t>(offset), static_cast<std::size_t>(gap),
                                  ++seed);
              INFO("case " << seed);
              CHECK(serve(d, library, test) == "");
            }
          }
        }
      }
    }
  }
}

TEST_CASE("sizes of every class are right") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  constexpr std::size_t kSizes[][3] = {
      {0, 0, 0},    {0, 5, 7},    {5, 0, 7},    {5, 7, 0},     // empty
      {1, 1, 1},    {1, 40, 9},   {40, 1, 9},   {9, 40, 1},    // vectors
      {2, 2, 2},    {3, 3, 3},    {4, 4, 4},    {5, 5, 5},     // around one tile
      {31, 31, 31}, {32, 32, 32}, {33, 33, 33}, {63, 65, 64},  // powers of two and one beside them
      {37, 53, 61}, {101, 7, 11},                              // primes
      {300, 3, 5},  {3, 300, 5},  {3, 5, 1000}, {130, 130, 2}};  // tall, wide, deep, shallow
  unsigned seed = 100;
  for (const auto& [m, n, k] : kSizes) {
    for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
      for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
        const BlasCase test(
            {.m = m, .n = n, .k = k, .alpha = 1.5f, .beta = -0.5f, .trans_a = ta, .trans_b = tb}, 2,
            1, ++seed);
        INFO(m << "x" << n << "x" << k << " case " << seed);
        CHECK(serve(d, library, test) == "");
      }
    }
  }
}

TEST_CASE("k = 0 and alpha = 0 scale C and read neither A nor B, which may be null") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  const float infinity = std::numeric_limits<float>::infinity();
  for (GemmCall call : {GemmCall{.m = 6, .n = 5, .k = 0, .alpha = infinity, .beta = 2.0f},
                        GemmCall{.m = 6, .n = 5, .k = 4, .alpha = 0.0f, .beta = 2.0f},
                        GemmCall{.m = 6, .n = 5, .k = 0, .alpha = 1.0f, .beta = 0.0f}}) {
    BlasCase test(call, 0, 0, 5);
    const Matrix c = upload(d, test.c);
    const cl::Event done = library.sgemm(d.queue, call, {{}, 0, 5}, {{}, 0, 5}, c);
    test.call.alpha = 0.0f;  // the specification, without inf * 0
    CHECK(test.wrong(download(d, c, {done})) == "");
  }
}

TEST_CASE("a NaN in A reaches C") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  BlasCase test({.m = 3, .n = 3, .k = 3}, 0, 0, 1);
  test.a.data[0] = std::numeric_limits<float>::quiet_NaN();
  const Matrix c = upload(d, test.c);
  const cl::Event done = library.sgemm(d.queue, test.call, upload(d, test.a), upload(d, test.b), c);
  const std::vector<float> got = download(d, c, {done});
  CHECK(std::isnan(got[0]));
  CHECK_FALSE(std::isnan(got[3]));
}

TEST_CASE(
    "the product waits for its wait list, on in-order and out-of-order queues, also when empty") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  cl_int code = CL_SUCCESS;
  const cl::CommandQueue unordered(d.context, d.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                   &code);
  const cl::CommandQueue& queue = code == CL_SUCCESS ? unordered : d.queue;
  for (const std::size_t m : {std::size_t{20}, std::size_t{0}}) {
    // TT: a pack kernel and a product, of which the first must wait for the caller and the second
    // for it.
    const BlasCase test(
        {.m = m, .n = 30, .k = 40, .trans_a = Transpose::kYes, .trans_b = Transpose::kYes}, 0, 0,
        9);
    const Matrix c = upload(d, test.c);
    cl::UserEvent gate(d.context);
    const cl::Event done =
        library.sgemm(queue, test.call, upload(d, test.a), upload(d, test.b), c, {gate});
    queue.flush();
    CHECK(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    done.wait();
    CHECK(test.wrong(download(d, c, {done})) == "");
  }
}

TEST_CASE("threads share a library, each with its own queue, from the first use on") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  std::vector<std::string> verdicts(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < verdicts.size(); ++t) {
    threads.emplace_back([&, t] {
      const cl::CommandQueue queue(d.context, d.device);
      for (unsigned i = 0; i < 10 && verdicts[t].empty(); ++i) {
        const BlasCase test({.m = 10 + t, .n = 17, .k = 5 + i, .trans_b = Transpose::kYes}, 0, 0,
                            i);
        const Matrix c = upload(d, test.c);
        const cl::Event done =
            library.sgemm(queue, test.call, upload(d, test.a), upload(d, test.b), c);
        std::vector<float> got(test.c.data.size());
        const std::vector<cl::Event> after{done};
        queue.enqueueReadBuffer(c.buffer, CL_TRUE, 0, got.size() * sizeof(float), got.data(),
                                &after);
        verdicts[t] = test.wrong(got);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& verdict : verdicts) CHECK(verdict == "");
}

TEST_CASE("work outlives the library that enqueued it") {
  const TestDevice d;
  const BlasCase test(
      {.m = 50, .n = 50, .k = 50, .trans_a = Transpose::kYes, .trans_b = Transpose::kYes}, 0, 0, 3);
  const Matrix c = upload(d, test.c);
  cl::UserEvent gate(d.context);
  cl::Event done;
  {
    Library library = Library::open(d.context, d.device, ProfileSource::builtin());
    done = library.sgemm(d.queue, test.call, upload(d, test.a), upload(d, test.b), c, {gate});
  }
  gate.setStatus(CL_COMPLETE);
  done.wait();
  CHECK(test.wrong(download(d, c, {done})) == "");
}

TEST_CASE("buffers that end before their matrix are refused, and C is untouched") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  const auto status = [&](const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c) {
    try {
      library.sgemm(d.queue, call, a, b, c).wait();
      return TW_SUCCESS;
    } catch (const Error& error) {
      return error.status();
    }
  };
  for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
    const BlasCase test({.m = 6, .n = 7, .k = 8, .trans_a = Transpose::kYes, .order = order}, 3, 2,
                        1);
    const Matrix a = upload(d, test.a);  // each ends with its last element
    const Matrix b = upload(d, test.b);
    const Matrix c = upload(d, test.c);
    const auto later = [](Matrix matrix) {
      ++matrix.offset;
      return matrix;
    };
    CHECK(status(test.call, later(a), b, c) == TW_INSUFFICIENT_BUFFER_A);
    CHECK(status(test.call, a, later(b), c) == TW_INSUFFICIENT_BUFFER_B);
    CHECK(status(test.call, a, b, later(c)) == TW_INSUFFICIENT_BUFFER_C);
    CHECK(status(test.call, {a.buffer, std::size_t(-1), a.ld}, b, c) == TW_INSUFFICIENT_BUFFER_A);
    CHECK(status(test.call, a, b, {c.buffer, c.offset, c.ld + 1}) == TW_INSUFFICIENT_BUFFER_C);
    CHECK(status(test.call, {{}, 0, a.ld}, b, c) == TW_INVALID_BUFFER_A);
    CHECK(status(test.call, a, {{}, 0, b.ld}, c) == TW_INVALID_BUFFER_B);
    CHECK(status(test.call, a, b, {{}, 0, c.ld}) == TW_INVALID_BUFFER_C);
    const std::vector<float> after = download(d, c, {});
    CHECK(std::memcmp(after.data(), test.c.data.data(), after.size() * sizeof(float)) == 0);
    CHECK(status(test.call, a, b, c) == TW_SUCCESS);
  }
}

TEST_CASE("objects of another context are refused") {
  const TestDevice d;
  const TestDevice other;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  const BlasCase test({.m = 2, .n = 2, .k = 2}, 0, 0, 1);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const auto status = [&](const cl::CommandQueue& queue, const Matrix& c_matrix) {
    try {
      library.sgemm(queue, test.call, a, b, c_matrix);
      return TW_SUCCESS;
    } catch (const Error& error) {
      return error.status();
    }
  };
  CHECK(status(other.queue, c) == TW_INVALID_QUEUE);
  CHECK(status(cl::CommandQueue{}, c) == TW_INVALID_QUEUE);
  CHECK(status(d.queue, upload(other, test.c)) == TW_INVALID_BUFFER_C);
  CHECK(status(d.queue, c) == TW_SUCCESS);
}

TEST_CASE("the library tells which kernels serve a call") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  CHECK(library.profile_origin() == "built-in (asked for by the program)");
  CHECK(library.kernels_for({.m = 8, .n = 8, .k = 8}).size() == 1);
  const auto tt = library.kernels_for(
      {.m = 8, .n = 8, .k = 8, .trans_a = Transpose::kYes, .trans_b = Transpose::kYes});
  REQUIRE(tt.size() == 2);
  CHECK(tt[0].find("pack_") == 0);
  CHECK(library.kernels_for({.m = 0, .n = 8, .k = 8}).empty());
  CHECK(library.explain({.m = 8, .n = 8, .k = 8}).find("built-in kernel, never measured") !=
        std::string::npos);
}

}  // namespace
}  // namespace tilewright
