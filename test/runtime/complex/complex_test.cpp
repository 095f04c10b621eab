// Tests products of complex matrices against the host's results in a wider type.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "complex_case.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

COMPLEX_TEST(products_of_all_transposes_orders_and_scalars) {
  LibraryHandle library = open_builtin(d);
  unsigned seed = 0;
  for (const auto& shape : kComplexShapes) {
    for (const Transpose ta : kAllTransposes) {
      for (const Transpose tb : kAllTransposes) {
        ++seed;
        const GemmCall call = complex_call<Element>(shape, ta, tb, seed);
        const BlasCaseOf<Element> test(call, seed % 5, seed % 3, seed);
        const Matrix c = upload(d, test.c);
        const cl::Event done =
            library->gemm(d.queue, call, upload(d, test.a), upload(d, test.b), c);
        INFO(call.m << "x" << call.n << "x" << call.k << " case " << seed);
        CHECK(test.wrong(download<Element>(d, c, {done})) == "");
      }
    }
  }
}

// $TILEWRIGHT_TEST_POINTS calls (default 24) with random extents, transposes, orders, scalars,
// offsets and gaps, from the seed $TILEWRIGHT_TEST_SEED (default 1).
COMPLEX_TEST(random_calls) {
  LibraryHandle library = open_builtin(d);
  const char* wanted = std::getenv("TILEWRIGHT_TEST_POINTS");
  const int count = wanted == nullptr ? 24 : std::atoi(wanted);
  const char* asked = std::getenv("TILEWRIGHT_TEST_SEED");
  const unsigned seed = asked == nullptr ? 1 : static_cast<unsigned>(std::atoi(asked));
  std::mt19937 random(seed);
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  for (int i = 0; i < count; ++i) {
    const auto& [alpha, beta] = kComplexScalars[below(std::size(kComplexScalars))];
    GemmCall call{.m = 1 + below(90), .n = 1 + below(90), .k = 1 + below(90)};
    // Sometimes one of the extents is small.
    if (below(3) == 0) (i % 3 == 0 ? call.m : i % 3 == 1 ? call.n : call.k) = 1 + below(3);
    call.alpha = alpha;
    call.beta = beta;
    call.trans_a = kAllTransposes[below(3)];
    call.trans_b = kAllTransposes[below(3)];
    call.order = below(2) == 0 ? Order::kRowMajor : Order::kColumnMajor;
    call.type = TraitsOf<Element>::kType;
    const BlasCaseOf<Element> test(call, below(5), below(5), seed + static_cast<unsigned>(i));
    const Matrix c = upload(d, test.c);
    const cl::Event done = library->gemm(d.queue, call, upload(d, test.a), upload(d, test.b), c);
    INFO("call " << i << " of seed " << seed << ": " << call.m << "x" << call.n << "x" << call.k);
    CHECK(test.wrong(download<Element>(d, c, {done})) == "");
  }
}

COMPLEX_TEST(vectors_at_increments) {
  LibraryHandle library = open_builtin(d);
  unsigned seed = 0;
  for (const Transpose trans : kAllTransposes) {
    for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
      ++seed;
      // As a product with one column, whose vectors are row-major matrices of one column.
      GemmCall call{.m = 19, .n = 1, .k = 34, .alpha = {0.5, 1.0}, .beta = {0.0, -1.0}};
      call.trans_a = trans;
      call.type = TraitsOf<Element>::kType;
      const BlasCaseOf<Element> test(call, 2, 3, seed);
      call.order = order;
      GemmCall stored = call;
      const BlasCaseOf<Element> turned(stored, 2, 3, seed);
      // A in the given storage order, with the elements of `test`.
      StoredMatrixOf<Element> a = turned.a;
      for (std::size_t i = 0; i < 19; ++i) {
        for (std::size_t p = 0; p < 34; ++p) {
          const bool rows = (order == Order::kRowMajor) == (trans == Transpose::kNo);
          const bool test_rows = trans == Transpose::kNo;
          const Element value =
              test.a.data[test.a.offset + (test_rows ? i * test.a.ld + p : p * test.a.ld + i)];
          a.data[a.offset + (rows ? i * a.ld + p : p * a.ld + i)] = value;
        }
      }
      const bool plain = trans == Transpose::kNo;
      const GemvCall gemv{.m = plain ? 19u : 34u,
                          .n = plain ? 34u : 19u,
                          .alpha = call.alpha,
                          .beta = call.beta,
                          .trans = trans,
                          .order = order,
                          .type = call.type};
      const Matrix x = upload(d, test.b);
      const Matrix y = upload(d, test.c);
      const cl::Event done = library->gemv(d.queue, gemv, upload(d, a), {x.buffer, x.offset, x.ld},
                                           {y.buffer, y.offset, y.ld});
      INFO("case " << seed);
      CHECK(test.wrong(download<Element>(d, y, {done})) == "");
    }
  }
}

COMPLEX_TEST(batches_strided_and_listed) {
  LibraryHandle library = open_builtin(d);
  constexpr std::size_t kCount = 3;
  GemmCall one{.m = 5, .n = 7, .k = 9, .alpha = {0.5, 0.25}, .beta = {0.0, 1.0}};
  one.type = TraitsOf<Element>::kType;
  for (const Transpose tb : {Transpose::kNo, Transpose::kConjugate}) {
    one.trans_b = tb;
    // As rows of one product.
    GemmCall call = one;
    call.m = 5 * kCount;
    const BlasCaseOf<Element> test(call, 1, 2, 3);
    const Matrix a = upload(d, test.a);
    const Matrix b = upload(d, test.b);
    const Matrix strided = upload(d, test.c);
    cl::Event done = library->gemm_strided_batched(
        d.queue, one, {a.buffer, a.offset, a.ld, 5 * a.ld}, {b.buffer, b.offset, b.ld, 0},
        {strided.buffer, strided.offset, strided.ld, 5 * strided.ld}, kCount);
    CHECK(test.wrong(download<Element>(d, strided, {done})) == "");
    const Matrix listed = upload(d, test.c);
    const auto at = [&](const Matrix& matrix, std::size_t rows) {
      return std::vector<std::size_t>{matrix.offset, matrix.offset + rows * matrix.ld,
                                      matrix.offset + 2 * rows * matrix.ld};
    };
    const std::vector<Complex> alphas(kCount, one.alpha);
    const std::vector<Complex> betas(kCount, one.beta);
    done =
        library->gemm_batched(d.queue, one, {a.buffer, at(a, 5), a.ld}, {b.buffer, at(b, 0), b.ld},
                              {listed.buffer, at(listed, 5), listed.ld}, {alphas, betas});
    CHECK(test.wrong(download<Element>(d, listed, {done})) == "");
  }
}

COMPLEX_TEST(a_batch_in_parts_where_one_launch_does_not_take_it) {
  LibraryHandle library = open_builtin(d);
  // More products of one element each than fit into one launch.
  constexpr std::size_t kCount = 65537;
  const std::vector<Element> numbers(kCount, Element(0, 1));
  const auto filled = [&] {
    return cl::Buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, kCount * sizeof(Element),
                      const_cast<Element*>(numbers.data()));
  };
  const cl::Buffer a = filled();
  const cl::Buffer c = filled();
  GemmCall call{.m = 1, .n = 1, .k = 1, .alpha = {0.0, 1.0}, .type = TraitsOf<Element>::kType};
  const cl::Event done = library->gemm_strided_batched(d.queue, call, {a, 0, 1, 1}, {a, 0, 1, 1},
                                                       {c, 0, 1, 1}, kCount);
  const std::vector<Element> got = download<Element>(d, {c, 0, 1}, {done});
  CHECK(std::count(got.begin(), got.end(), Element(0, -1)) == kCount);
}

TEST_CASE("complex: with real scalars, an infinite part does not affect a finite one") {
  const TestDevice d;
  LibraryHandle library = open_builtin(d);
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<std::complex<float>> c{{inf, 1.0f}};
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(c[0]),
                          const_cast<std::complex<float>*>(c.data()));
  GemmCall call{.m = 1, .n = 1, .k = 0, .beta = 2.0, .type = ElementType::kComplexFloat};
  const cl::Event done =
      library->gemm(d.queue, call, {buffer, 0, 1}, {buffer, 0, 1}, {buffer, 0, 1});
  CHECK(download<std::complex<float>>(d, {buffer, 0, 1}, {done})[0] ==
        std::complex<float>(inf, 2.0f));
}

TEST_CASE(
    "complex: for real matrices the conjugate transpose is the transpose, and scalars must be real") {
  const TestDevice d;
  LibraryHandle library = open_builtin(d);
  GemmCall call{.m = 13, .n = 9, .k = 21, .trans_a = Transpose::kConjugate};
  const BlasCase test(call, 1, 1, 1);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const cl::Event done = library->gemm(d.queue, call, a, b, c);
  CHECK(test.wrong(download(d, c, {done})) == "");
  call.alpha = {1.0, 1.0};
  CHECK(error_status([&] { library->gemm(d.queue, call, a, b, c); }) == TW_INVALID_VALUE);
}

TEST_CASE("complex: buffers hold half as many elements, and maximum extents are half as large") {
  const TestDevice d;
  LibraryHandle library = open_builtin(d);
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 64 * sizeof(float));
  GemmCall call{.m = 8, .n = 8, .k = 8, .type = ElementType::kComplexFloat};
  const Matrix matrix{buffer, 0, 8};
  CHECK(error_status([&] { library->gemm(d.queue, call, matrix, matrix, matrix); }) ==
        TW_INSUFFICIENT_BUFFER_A);
  call.n = 1'500'000'000;
  CHECK(error_status([&] { library->gemm(d.queue, call, matrix, matrix, matrix); }) ==
        TW_INVALID_DIMENSION);
  // Kernels count twice as many elements.
  call = {.m = 1, .n = 1, .k = 1, .type = ElementType::kComplexFloat};
  CHECK(error_status([&] {
          library->gemm(d.queue, call, matrix, {buffer, 0, 1'500'000'000}, matrix);
        }) == TW_INVALID_LD_B);
}

TEST_CASE("complex: the explanation contains the real product") {
  const TestDevice d;
  LibraryHandle library = open_builtin(d);
  GemmCall call{.m = 100, .n = 100, .k = 100, .type = ElementType::kComplexFloat};
  CHECK_THAT(library->explain(call), ContainsSubstring("real product of 100x200x200"));
  CHECK_THAT(library->explain(call), ContainsSubstring("NN 100x200x200"));
  CHECK(library->kernels_for(call).front() == "complex_expand");
  call.alpha = {0.0, 1.0};
  CHECK(library->kernels_for(call).back() == "complex_combine_columns");
  call.alpha = 0.0;
  CHECK(library->kernels_for(call).size() == 1);
  call.beta = {0.0, 1.0};
  CHECK(library->kernels_for(call) == std::vector<std::string>{"complex_combine_columns"});
  CHECK_THAT(library->explain(call), ContainsSubstring("not read"));
}

TEST_CASE("complex: double precision is rejected if the device does not support it") {
  const TestDevice d;
  if (has_extension(d.device, "cl_khr_fp64")) SKIP_CASE("the device has cl_khr_fp64");
  LibraryHandle library = open_builtin(d);
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 1024);
  const GemmCall call{.m = 8, .n = 8, .k = 8, .type = ElementType::kComplexDouble};
  const Matrix matrix{buffer, 0, 8};
  CHECK(error_status([&] { library->gemm(d.queue, call, matrix, matrix, matrix); }) ==
        TW_UNSUPPORTED_TYPE);
}

}  // namespace
}  // namespace tilewright
