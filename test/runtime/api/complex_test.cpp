// Products of complex matrices, against the host's in a wider type.
#include <tilewright/complex.h>
#include <tilewright/plan.hpp>

#include <complex>
#include <cstdlib>
#include <random>

#include "blas_case.hpp"
#include "catch.hpp"
#include "panel_library.hpp"
#include "runtime/api/c_border.hpp"
#include "runtime/device/device_identity.hpp"

namespace tilewright {
namespace {

using Complex = std::complex<double>;

// Of each test, for both types.
#define COMPLEX_TEST(name)                                                             \
  template <class Element>                                                             \
  void name(const TestDevice& d);                                                      \
  TEST_CASE("complex: " #name) {                                                       \
    const TestDevice d;                                                                \
    name<std::complex<float>>(d);                                                      \
    if (!has_extension(d.device, "cl_khr_fp64")) SKIP_CASE("no cl_khr_fp64: doubles"); \
    name<std::complex<double>>(d);                                                     \
  }                                                                                    \
  template <class Element>                                                             \
  void name(const TestDevice& d)

Library open_builtin(const TestDevice& d) {
  return Library::open(d.context, d.device, ProfileSource::builtin());
}

constexpr Transpose kAllTransposes[] = {Transpose::kNo, Transpose::kYes, Transpose::kConjugate};
constexpr Complex kComplexScalars[][2] = {{1.0, 0.0},
                                          {-0.5, 2.0},
                                          {{0.5, -1.5}, 0.0},
                                          {1.0, {0.0, 1.0}},
                                          {{0.25, 0.75}, {-1.0, 0.5}},
                                          {0.0, {0.5, 0.5}},
                                          {0.0, 3.0}};

// Empty, one, odd, tall, wide, shallow and deep.
constexpr std::size_t kComplexShapes[][3] = {{1, 1, 1},   {13, 9, 21}, {2, 70, 33}, {70, 2, 33},
                                             {17, 31, 1}, {3, 5, 129}, {33, 65, 0}, {1, 64, 64},
                                             {64, 1, 63}, {0, 3, 2}};

COMPLEX_TEST(products_of_all_transposes_orders_and_scalars) {
  Library library = open_builtin(d);
  unsigned seed = 0;
  for (const auto& [m, n, k] : kComplexShapes) {
    for (const Transpose ta : kAllTransposes) {
      for (const Transpose tb : kAllTransposes) {
        ++seed;
        const auto& [alpha, beta] = kComplexScalars[seed % std::size(kComplexScalars)];
        GemmCall call{.m = m, .n = n, .k = k, .alpha = alpha, .beta = beta};
        call.trans_a = ta;
        call.trans_b = tb;
        call.order = seed % 2 == 0 ? Order::kRowMajor : Order::kColumnMajor;
        call.type = TraitsOf<Element>::kType;
        const BlasCaseOf<Element> test(call, seed % 5, seed % 3, seed);
        const Matrix c = upload(d, test.c);
        const cl::Event done = library.gemm(d.queue, call, upload(d, test.a), upload(d, test.b), c);
        INFO(m << "x" << n << "x" << k << " case " << seed);
        CHECK(test.wrong(download<Element>(d, c, {done})) == "");
      }
    }
  }
}

// $TILEWRIGHT_TEST_POINTS calls (24) of random extents, transposes, orders, scalars, offsets and
// gaps.
COMPLEX_TEST(random_calls) {
  Library library = open_builtin(d);
  const char* wanted = std::getenv("TILEWRIGHT_TEST_POINTS");
  const int count = wanted == nullptr ? 24 : std::atoi(wanted);
  std::mt19937 random(7);
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  for (int i = 0; i < count; ++i) {
    const auto& [alpha, beta] = kComplexScalars[below(std::size(kComplexScalars))];
    GemmCall call{.m = 1 + below(90), .n = 1 + below(90), .k = 1 + below(90)};
    // One of the extents is small now and then.
    if (below(3) == 0) (i % 3 == 0 ? call.m : i % 3 == 1 ? call.n : call.k) = 1 + below(3);
    call.alpha = alpha;
    call.beta = beta;
    call.trans_a = kAllTransposes[below(3)];
    call.trans_b = kAllTransposes[below(3)];
    call.order = below(2) == 0 ? Order::kRowMajor : Order::kColumnMajor;
    call.type = TraitsOf<Element>::kType;
    const BlasCaseOf<Element> test(call, below(5), below(5), static_cast<unsigned>(i));
    const Matrix c = upload(d, test.c);
    const cl::Event done = library.gemm(d.queue, call, upload(d, test.a), upload(d, test.b), c);
    INFO("call " << i << ": " << call.m << "x" << call.n << "x" << call.k);
    CHECK(test.wrong(download<Element>(d, c, {done})) == "");
  }
}

COMPLEX_TEST(vectors_at_increments) {
  Library library = open_builtin(d);
  unsigned seed = 0;
  for (const Transpose trans : kAllTransposes) {
    for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
      ++seed;
      // As a product of one column, whose vectors are matrices of one column in rows.
      GemmCall call{.m = 19, .n = 1, .k = 34, .alpha = {0.5, 1.0}, .beta = {0.0, -1.0}};
      call.trans_a = trans;
      call.type = TraitsOf<Element>::kType;
      const BlasCaseOf<Element> test(call, 2, 3, seed);
      call.order = order;
      GemmCall stored = call;
      const BlasCaseOf<Element> turned(stored, 2, 3, seed);
      // A as the order says, with the elements of `test`.
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
      const cl::Event done = library.gemv(d.queue, gemv, upload(d, a), {x.buffer, x.offset, x.ld},
                                          {y.buffer, y.offset, y.ld});
      INFO("case " << seed);
      CHECK(test.wrong(download<Element>(d, y, {done})) == "");
    }
  }
}

COMPLEX_TEST(batches_strided_and_listed) {
  Library library = open_builtin(d);
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
    cl::Event done = library.gemm_strided_batched(
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
        library.gemm_batched(d.queue, one, {a.buffer, at(a, 5), a.ld}, {b.buffer, at(b, 0), b.ld},
                             {listed.buffer, at(listed, 5), listed.ld}, {alphas, betas});
    CHECK(test.wrong(download<Element>(d, listed, {done})) == "");
  }
}

COMPLEX_TEST(plans_with_packed_operands) {
  Library library = open_builtin(d);
  unsigned seed = 0;
  for (const Transpose ta : kAllTransposes) {
    for (const Transpose tb : kAllTransposes) {
      for (const std::size_t shape : {1, 2, 7}) {
        const auto& [m, n, k] = kComplexShapes[shape];
        ++seed;
        const auto& [alpha, beta] = kComplexScalars[seed % std::size(kComplexScalars)];
        GemmCall call{.m = m, .n = n, .k = k, .alpha = alpha, .beta = beta};
        call.trans_a = ta;
        call.trans_b = tb;
        call.order = seed % 2 == 0 ? Order::kRowMajor : Order::kColumnMajor;
        call.type = TraitsOf<Element>::kType;
        const BlasCaseOf<Element> test(call, seed % 2, 1, seed);
        const Matrix a = upload(d, test.a);
        const Matrix b = upload(d, test.b);
        const Plan plan = library.plan(call, a, b, upload(d, test.c));
        const PackedMatrix packed_a = plan.pack_a(d.queue, a);
        const PackedMatrix packed_b = plan.pack_b(d.queue, b);
        CHECK((packed_a.rows() == m && packed_a.columns() == k));
        CHECK((packed_b.rows() == k && packed_b.columns() == n));
        CHECK(packed_b.bytes() == plan.needs_b().bytes);
        const GemmOperand lefts[] = {a, packed_a};
        const GemmOperand rights[] = {b, packed_b};
        for (const int which : {0, 1, 2, 3}) {
          const Matrix c = upload(d, test.c);
          const cl::Event done =
              plan.execute(d.queue, lefts[which / 2], rights[which % 2], c, alpha, beta);
          INFO("case " << seed << "." << which);
          CHECK(test.wrong(download<Element>(d, c, {done})) == "");
        }
      }
    }
  }
}

COMPLEX_TEST(packing_into_the_callers_buffer) {
  Library library = open_builtin(d);
  GemmCall call{.m = 33, .n = 18, .k = 20, .alpha = {0.0, 1.0}, .type = TraitsOf<Element>::kType};
  const BlasCaseOf<Element> test(call, 0, 0, 1);
  const Plan plan = library.plan(call);
  REQUIRE(plan.needs_b().packed);
  const std::size_t before = Plan::offset_multiple();
  const cl::Buffer into(d.context, CL_MEM_READ_WRITE,
                        plan.needs_b().bytes + before * sizeof(Element));
  const PackedMatrix packed = plan.pack_b(d.queue, upload(d, test.b), {into, before});
  const Matrix c = upload(d, test.c);
  const cl::Event done = plan.execute(d.queue, upload(d, test.a), packed, c, call.alpha, call.beta);
  CHECK(test.wrong(download<Element>(d, c, {done})) == "");
  // One element too few.
  CHECK(status_of_error([&] {
          plan.pack_b(d.queue, upload(d, test.b), {into, 2 * before});
        }) == TW_INSUFFICIENT_BUFFER_B);
}

COMPLEX_TEST(what_was_converted_in_another_way_is_refused) {
  Library library = open_builtin(d);
  GemmCall call{.m = 16, .n = 16, .k = 16, .type = TraitsOf<Element>::kType};
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 256 * sizeof(Element));
  const Matrix matrix{buffer, 0, 16};
  const Plan plain = library.plan(call);
  call.trans_a = Transpose::kConjugate;
  call.trans_b = Transpose::kConjugate;
  const Plan conjugated = library.plan(call);
  const PackedMatrix packed = plain.pack_b(d.queue, matrix);
  CHECK(status_of_error([&] { conjugated.execute(d.queue, matrix, packed, matrix); }) ==
        TW_WRONG_LAYOUT);
  // The real product that it becomes does not take it either.
  GemmCall real{.m = 16, .n = 32, .k = 32};
  real.type =
      sizeof(Element) == sizeof(std::complex<float>) ? ElementType::kFloat : ElementType::kDouble;
  const cl::Buffer wide(d.context, CL_MEM_READ_WRITE, 1024 * sizeof(Element));
  const Plan of_reals = library.plan(real);
  CHECK(status_of_error([&] {
          of_reals.execute(d.queue, {wide, 0, 32}, packed, {wide, 0, 32});
        }) == TW_WRONG_LAYOUT);
}

COMPLEX_TEST(a_batch_in_parts_where_one_launch_does_not_take_it) {
  Library library = open_builtin(d);
  // More than a launch takes, of products of one element each.
  constexpr std::size_t kCount = 65537;
  const std::vector<Element> numbers(kCount, Element(0, 1));
  const auto filled = [&] {
    return cl::Buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, kCount * sizeof(Element),
                      const_cast<Element*>(numbers.data()));
  };
  const cl::Buffer a = filled();
  const cl::Buffer c = filled();
  GemmCall call{.m = 1, .n = 1, .k = 1, .alpha = {0.0, 1.0}, .type = TraitsOf<Element>::kType};
  const cl::Event done =
      library.gemm_strided_batched(d.queue, call, {a, 0, 1, 1}, {a, 0, 1, 1}, {c, 0, 1, 1}, kCount);
  const std::vector<Element> got = download<Element>(d, {c, 0, 1}, {done});
  CHECK(std::count(got.begin(), got.end(), Element(0, -1)) == kCount);
}

TEST_CASE("complex: an infinite part stays apart from a finite one under real scalars") {
  const TestDevice d;
  Library library = open_builtin(d);
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<std::complex<float>> c{{inf, 1.0f}};
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(c[0]),
                          const_cast<std::complex<float>*>(c.data()));
  GemmCall call{.m = 1, .n = 1, .k = 0, .beta = 2.0, .type = ElementType::kComplexFloat};
  const cl::Event done =
      library.gemm(d.queue, call, {buffer, 0, 1}, {buffer, 0, 1}, {buffer, 0, 1});
  CHECK(download<std::complex<float>>(d, {buffer, 0, 1}, {done})[0] ==
        std::complex<float>(inf, 2.0f));
}

TEST_CASE("complex: of real matrices the conjugate transpose is the transpose, scalars are real") {
  const TestDevice d;
  Library library = open_builtin(d);
  GemmCall call{.m = 13, .n = 9, .k = 21, .trans_a = Transpose::kConjugate};
  const BlasCase test(call, 1, 1, 1);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const cl::Event done = library.sgemm(d.queue, call, a, b, c);
  CHECK(test.wrong(download(d, c, {done})) == "");
  call.alpha = {1.0, 1.0};
  CHECK(status_of_error([&] { library.sgemm(d.queue, call, a, b, c); }) == TW_INVALID_VALUE);
}

TEST_CASE("complex: buffers hold half as many elements, extents are half as many") {
  const TestDevice d;
  Library library = open_builtin(d);
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 64 * sizeof(float));
  GemmCall call{.m = 8, .n = 8, .k = 8, .type = ElementType::kComplexFloat};
  const Matrix matrix{buffer, 0, 8};
  CHECK(status_of_error([&] { library.gemm(d.queue, call, matrix, matrix, matrix); }) ==
        TW_INSUFFICIENT_BUFFER_A);
  call.n = 1'500'000'000;
  CHECK(status_of_error([&] { library.gemm(d.queue, call, matrix, matrix, matrix); }) ==
        TW_INVALID_DIMENSION);
}

TEST_CASE("complex: explained with the real product that serves") {
  const TestDevice d;
  Library library = open_builtin(d);
  GemmCall call{.m = 100, .n = 100, .k = 100, .type = ElementType::kComplexFloat};
  CHECK_THAT(library.explain(call), Catch::Matchers::Contains("real product of 100x200x200"));
  CHECK_THAT(library.explain_all(call), Catch::Matchers::Contains("NN 100x200x200"));
  CHECK(library.kernels_for(call).front() == "complex_expand");
  call.alpha = {0.0, 1.0};
  CHECK(library.kernels_for(call).back() == "complex_combine_columns");
  call.alpha = 0.0;
  CHECK(library.kernels_for(call).size() == 1);
}

TEST_CASE("complex: doubles are refused where the device has none") {
  const TestDevice d;
  if (has_extension(d.device, "cl_khr_fp64")) SKIP_CASE("the device has cl_khr_fp64");
  Library library = open_builtin(d);
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 1024);
  const GemmCall call{.m = 8, .n = 8, .k = 8, .type = ElementType::kComplexDouble};
  const Matrix matrix{buffer, 0, 8};
  CHECK(status_of_error([&] { library.gemm(d.queue, call, matrix, matrix, matrix); }) ==
        TW_UNSUPPORTED_TYPE);
}

TEST_CASE("complex: the C functions") {
  const TestDevice d;
  tw_library* library = nullptr;
  REQUIRE(tw_open(d.context(), d.device(), nullptr, &library) == TW_SUCCESS);
  GemmCall call{.m = 13, .n = 9, .k = 21, .alpha = {0.5, -1.0}, .beta = {0.75, 0.25}};
  call.trans_a = Transpose::kConjugate;
  call.type = ElementType::kComplexFloat;
  const BlasCaseOf<std::complex<float>> test(call, 3, 2, 1);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const cl_float2 alpha = {{0.5f, -1.0f}};
  const cl_float2 beta = {{0.75f, 0.25f}};
  cl_event event = nullptr;
  REQUIRE(tw_cgemm(library, d.queue(), TW_ROW_MAJOR, TW_CONJ_TRANS, TW_NO_TRANS, 13, 9, 21, alpha,
                   a.buffer(), a.offset, a.ld, b.buffer(), b.offset, b.ld, beta, c.buffer(),
                   c.offset, c.ld, 0, nullptr, &event) == TW_SUCCESS);
  CHECK(test.wrong(download<std::complex<float>>(d, c, {cl::Event(event)})) == "");
  tw_plan* plan = nullptr;
  REQUIRE(tw_cplan_create(library, TW_ROW_MAJOR, TW_CONJ_TRANS, TW_NO_TRANS, 13, 9, 21, a.offset,
                          a.ld, b.offset, b.ld, beta, c.offset, c.ld, &plan) == TW_SUCCESS);
  tw_packed* packed = nullptr;
  REQUIRE(tw_pack_b(plan, d.queue(), b.buffer(), b.offset, b.ld, nullptr, 0, 0, nullptr, &packed,
                    nullptr) == TW_SUCCESS);
  const Matrix again = upload(d, test.c);
  REQUIRE(tw_cexecute(plan, d.queue(), alpha, a.buffer(), a.offset, a.ld, nullptr, nullptr, 0, 0,
                      packed, beta, again.buffer(), again.offset, again.ld, 0, nullptr,
                      &event) == TW_SUCCESS);
  CHECK(test.wrong(download<std::complex<float>>(d, again, {cl::Event(event)})) == "");
  tw_packed_free(packed);
  tw_plan_free(plan);
  char* text = nullptr;
  REQUIRE(tw_cexplain(library, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, 13, 9, 21, alpha, 0, 21, 0,
                      9, beta, 0, 9, &text) == TW_SUCCESS);
  CHECK_THAT(text, Catch::Matchers::Contains("complex"));
  tw_text_free(text);
  tw_close(library);
}

}  // namespace
}  // namespace tilewright
