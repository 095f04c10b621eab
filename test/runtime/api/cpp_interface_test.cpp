// Tests the C++ interface (tilewright.hpp): every class, errors, and objects that were moved from.
#include <tilewright/tilewright.hpp>

#include <complex>
#include <functional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "panel_library.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kM = 13, kN = 9, kK = 21;

// A product of random matrices with gaps, on the device.
template <class Element = float>
struct Product {
  explicit Product(const TestDevice& device, GemmCall call = {.m = kM, .n = kN, .k = kK})
      : d(device),
        test(call, 2, 1, 1),
        a(upload(d, test.a)),
        b(upload(d, test.b)),
        c(upload(d, test.c)) {}
  tw::Matrix in(const Matrix& matrix) const { return {matrix.buffer, matrix.offset, matrix.ld}; }
  tw::Gemm gemm() const {
    tw::Gemm result{test.call.m, test.call.n, test.call.k, test.call.alpha, test.call.beta};
    result.trans_a = static_cast<tw_transpose>(test.call.trans_a);
    result.trans_b = static_cast<tw_transpose>(test.call.trans_b);
    result.layout = static_cast<tw_layout>(test.call.order);
    return result;
  }
  void check(const tw::Event& done) const {
    CHECK(test.wrong(download<Element>(d, c, {cl::Event(done)})) == "");
  }

  const TestDevice& d;
  BlasCaseOf<Element> test;
  Matrix a, b, c;
};

// The error that `body` throws.
tw::Error error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const tw::Error& error) {
    return error;
  }
  return {TW_SUCCESS, "no error"};
}

TEST_CASE("C++: products of every element type that the device has") {
  const TestDevice d;
  const tw::Library library(d.context, d.device);
  const auto multiply = [&](auto element, auto type) {
    using Element = decltype(element);
    for (const GemmCall& call :
         {GemmCall{.m = kM, .n = kN, .k = kK}, GemmCall{.m = 5,
                                               .n = 4,
                                               .k = 7,
                                               .alpha = -2.0,
                                               .beta = 0.5,
                                               .trans_a = Transpose::kYes,
                                               .order = Order::kColumnMajor}}) {
      GemmCall typed = call;
      typed.type = TraitsOf<Element>::kType;
      const Product<Element> x(d, typed);
      x.check(library.gemm<decltype(type)>(d.queue, x.gemm(), x.in(x.a), x.in(x.b), x.in(x.c)));
    }
  };
  CHECK(library.supports(TW_FLOAT));
  const bool has_double = d.device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() != 0;
  CHECK(library.supports(TW_COMPLEX_DOUBLE) == has_double);
  multiply(float{}, float{});
  multiply(Half{}, cl_half{});
  multiply(std::complex<float>{}, std::complex<float>{});
  if (!has_double) return;
  multiply(double{}, double{});
  multiply(std::complex<double>{}, std::complex<double>{});
}

TEST_CASE("C++: a library is opened for a queue, with options, and logs to a function") {
  const TestDevice d;
  CHECK(tw::Library(d.queue).profile_origin() == tw::Library(d.queue()).profile_origin());
  std::vector<std::string> lines;
  {
    const Product<> x(d);
    tw::Plan plan;
    {
      const tw::Library library(
          d.context(), d.device(),
          tw::Options().built_in_profile().cache_folder("").max_kept_bytes(0).log(
              [&](tw_log_severity, const std::string& line) {
                lines.push_back(line);
                throw std::runtime_error("a log must not throw");
              }));
      CHECK(library.profile_origin() == "built-in");
      plan = library.plan<float>(x.gemm(), x.in(x.a), x.in(x.b), x.in(x.c));
    }
    // The plan outlives the library, and the log function is still there.
    x.check(plan.execute(d.queue, x.in(x.a), x.in(x.b), x.in(x.c)));
  }
  CHECK(lines.size() >= 2);
  const std::string text = make_profile_text(d, panels());
  CHECK(tw::Library(d.queue, tw::Options().profile_text(text)).profile_origin() ==
        "text in memory");
  CHECK(error_of([&] { tw::Library(d.queue, tw::Options().profile_path("")); }).status() ==
        TW_NO_PROFILE);
  CHECK(error_of([&] {
          tw::Library(d.queue, tw::Options().profile_text(text).built_in_profile());
        }).status() == TW_INVALID_VALUE);
}

TEST_CASE("C++: wait lists and events") {
  const TestDevice d;
  const tw::Library library(d.queue);
  const Product<> x(d);
  cl::UserEvent gate(d.context);
  const auto multiply = [&](const tw::WaitList& wait) {
    return library.gemm<float>(d.queue, x.gemm(), x.in(x.a), x.in(x.b), x.in(x.c), wait);
  };
  const tw::Event first = multiply(gate);
  const cl::Event second = multiply({first, gate()});
  const std::vector<cl::Event> all{first, second};
  tw::Event third = multiply(all);
  CHECK(second.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  gate.setStatus(CL_COMPLETE);
  x.check(third);
  // Each object has a reference of its own.
  tw::Event copy = third;
  CHECK(copy.get() == third.get());
  const tw::Event moved = std::move(third);
  CHECK(third.get() == nullptr);
  copy = moved;
  copy.wait();
  cl_event released = copy.release();
  CHECK(copy.get() == nullptr);
  CHECK(clReleaseEvent(released) == CL_SUCCESS);
  moved.wait();
}

TEST_CASE("C++: errors have a status, a message and the OpenCL code") {
  const TestDevice d;
  const tw::Library library(d.queue);
  const Product<> x(d);
  const auto multiply = [&](const tw::Gemm& gemm, const tw::Matrix& a) {
    return error_of([&] { library.gemm<float>(d.queue, gemm, a, x.in(x.b), x.in(x.c)); });
  };
  const tw::Error no_a = multiply(x.gemm(), {});
  CHECK(no_a.status() == TW_INVALID_BUFFER_A);
  CHECK_THAT(no_a.what(), Catch::Matchers::ContainsSubstring("buffer of A"));
  CHECK(no_a.opencl_code() == CL_SUCCESS);
  CHECK(error_of([&] { tw::Library(nullptr, d.device); }).status() == TW_INVALID_VALUE);

  cl::UserEvent fails(d.context);
  fails.setStatus(CL_OUT_OF_RESOURCES);
  const cl_event raw = fails();
  clRetainEvent(raw);
  const tw::Event event(raw);
  const tw::Error failed = error_of([&] { event.wait(); });
  CHECK(failed.status() == TW_OPENCL_ERROR);
  CHECK(failed.opencl_code() == CL_OUT_OF_RESOURCES);
}

static_assert(std::is_convertible_v<int, tw::Scalar> && std::is_convertible_v<float, tw::Scalar> &&
              std::is_convertible_v<std::complex<float>, tw::Scalar> &&
              !std::is_convertible_v<cl_half, tw::Scalar>);
// The same name in all versions of the header.
static_assert(std::is_same_v<tw::v1::Event, tw::Event>);

TEST_CASE("C++: an event that is empty cannot be waited for") {
  CHECK(error_of([] { tw::Event().wait(); }).status() == TW_INVALID_VALUE);
}

TEST_CASE("C++: plans, packed matrices, workspaces and explanations") {
  const TestDevice d;
  const tw::Library library(d.queue, tw::Options().profile_text(make_profile_text(d, panels())));
  const Product<> x(d);
  const tw::Plan plan = library.plan<float>(x.gemm(), x.in(x.a), x.in(x.b), x.in(x.c));
  CHECK(plan.kernel() == "panels");
  CHECK(plan.reason().find("B is packed first") != std::string::npos);
  CHECK(library.explain<float>(x.gemm()).find("panels") != std::string::npos);
  REQUIRE(plan.packed_bytes(TW_OPERAND_B) > 0);
  CHECK_FALSE(plan.packed_is_image(TW_OPERAND_B));
  CHECK(plan.workspace_bytes() > plan.packed_bytes(TW_OPERAND_B));
  const cl::Buffer own(d.context, CL_MEM_READ_WRITE, 128 + plan.packed_bytes(TW_OPERAND_B));
  const tw::PackedMatrix a = plan.pack_a(d.queue, x.in(x.a));
  for (const tw::Memory& into : {tw::Memory(), tw::Memory(own, 128)}) {
    const tw::PackedMatrix b = plan.pack_b(d.queue, x.in(x.b), into);
    b.ready().wait();
    x.check(plan.execute(d.queue, a, b, x.in(x.c)));
    CHECK(error_of([&] { library.gemm<float>(d.queue, x.gemm(), a, b, x.in(x.c)); }).status() ==
          TW_INVALID_VALUE);
  }
  CHECK(error_of([&] {
          plan.pack_b(d.queue, x.in(x.b), {own, 1});
        }).status() == TW_INVALID_PACKED_BUFFER);
  const tw::Error of_gemv = error_of([&] {
    library.gemv<float>(d.queue, {kM, kK}, a, x.b.buffer, x.c.buffer);
  });
  CHECK(of_gemv.status() == TW_INVALID_VALUE);
  CHECK_THAT(of_gemv.what(), Catch::Matchers::ContainsSubstring("A is packed"));
}

TEST_CASE("C++: batches with strides, with offsets, and with scalars of their own") {
  const TestDevice d;
  const tw::Library library(d.queue);
  // Three products of 2 x 2 matrices; the second factor is the identity.
  std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, identity{1, 0, 0, 1};
  std::vector<float> result(values.size());
  const cl::Buffer a(d.queue, values.begin(), values.end(), true);
  const cl::Buffer b(d.queue, identity.begin(), identity.end(), true);
  const cl::Buffer c(d.context, CL_MEM_READ_WRITE, 12 * sizeof(float));
  const auto read = [&](const tw::Event& done) {
    done.wait();
    cl::copy(d.queue, c, result.begin(), result.end());
    return result;
  };
  tw::Gemm batch{2, 2, 2};
  batch.batch_count = 3;
  CHECK(read(library.gemm<float>(d.queue, batch, {a, 0, 2, 4}, b, {c, 0, 2, 4})) == values);
  batch.alphas = {1.0, 2.0, -1.0};
  CHECK(read(library.gemm<float>(d.queue, batch, {a, {8, 4, 0}}, b, {c, 0, 2, 4})) ==
        std::vector<float>{9, 10, 11, 12, 10, 12, 14, 16, -1, -2, -3, -4});
  const auto refused = [&](const tw::Gemm& gemm, const tw::Matrix& of_a) {
    return error_of([&] { library.gemm<float>(d.queue, gemm, of_a, b, {c, 0, 2, 4}); }).status();
  };
  CHECK(refused(batch, {a, {8, 4}}) == TW_INVALID_VALUE);
  batch.betas = {1.0};
  CHECK(refused(batch, {a, {8, 4, 0}}) == TW_INVALID_VALUE);
}

TEST_CASE("C++: a matrix times a vector") {
  const TestDevice d;
  const tw::Library library(d.queue);
  std::vector<float> values{1, 2, 3, 4, 5, 6}, ones{1, 0, 1, 0, 1}, result(3);
  const cl::Buffer a(d.queue, values.begin(), values.end(), true);
  const cl::Buffer x(d.queue, ones.begin(), ones.end(), true);
  const cl::Buffer y(d.context, CL_MEM_READ_WRITE, 3 * sizeof(float));
  const auto multiply = [&](const tw::Gemv& gemv) {
    library.gemv<float>(d.queue, gemv, a, {x, 0, 2}, y).wait();
    cl::copy(d.queue, y, result.begin(), result.end());
    return result;
  };
  CHECK(multiply({3, 2, 2.0}) == std::vector<float>{6, 14, 22});
  CHECK(multiply({3, 2, 1.0, 0.0, TW_NO_TRANS, TW_COLUMN_MAJOR}) == std::vector<float>{5, 7, 9});
  // No argument has its default: A' = 1 3 / 2 4, of which each row of A begins after 3 elements.
  std::vector<float> padded{9, 1, 2, 9, 3, 4}, both{9, 9, 1, 9, 9, 10}, old{9, 1, 9, 2};
  const cl::Buffer a2(d.queue, padded.begin(), padded.end(), true);
  const cl::Buffer x2(d.queue, both.begin(), both.end(), true);
  const cl::Buffer y2(d.queue, old.begin(), old.end(), false);
  library.gemv<float>(d.queue, {2, 2, 2.0, 0.5, TW_TRANS}, {a2, 1, 3}, {x2, 2, 3}, {y2, 1, 2})
      .wait();
  cl::copy(d.queue, y2, old.begin(), old.end());
  CHECK(old == std::vector<float>{9, 62.5f, 9, 85});
  CHECK(error_of([&] { multiply({2, 3, {1.0, 1.0}}); }).status() == TW_INVALID_VALUE);
}

TEST_CASE("C++: objects that are empty or were moved from") {
  const TestDevice d;
  tw::Library library(d.queue);
  const Product<> x(d);
  tw::Plan plan = library.plan<float>(x.gemm());
  tw::PackedMatrix packed = plan.pack_b(d.queue, {x.b.buffer, 0, kN});
  tw::Library other = std::move(library);
  const tw::Plan other_plan = std::move(plan);
  const tw::PackedMatrix other_packed = std::move(packed);
  const std::vector<std::function<void()>> uses{
      [&] { library.profile_origin(); },
      [&] { library.gemm<float>(d.queue, x.gemm(), x.in(x.a), x.in(x.b), x.in(x.c)); },
      [&] {
        library.gemv<float>(d.queue, {1, 1}, x.in(x.a), x.b.buffer, x.c.buffer);
      },
      [&] { library.plan<float>(x.gemm()); },
      [&] { library.explain<float>(x.gemm()); },
      [&] { plan.kernel(); },
      [&] { plan.reason(); },
      [&] { plan.packed_bytes(TW_OPERAND_A); },
      [&] { plan.packed_is_image(TW_OPERAND_A); },
      [&] { plan.workspace_bytes(); },
      [&] { plan.pack_a(d.queue, x.in(x.a)); },
      [&] { plan.execute(d.queue, x.in(x.a), x.in(x.b), x.in(x.c)); },
      [&] { packed.ready(); },
      [&] { other_plan.execute(d.queue, x.in(x.a), packed, x.in(x.c)); },
      [&] { tw::Library().profile_origin(); },
      [&] { tw::Plan().kernel(); },
      [&] { tw::PackedMatrix().ready(); }};
  for (std::size_t i = 0; i < uses.size(); ++i) {
    INFO("use " << i);
    CHECK(error_of(uses[i]).status() == TW_INVALID_VALUE);
  }
  library = std::move(other);
  CHECK_FALSE(library.profile_origin().empty());
}

static_assert(std::is_nothrow_move_constructible<tw::Library>::value &&
              std::is_nothrow_move_constructible<tw::Plan>::value &&
              std::is_nothrow_move_constructible<tw::PackedMatrix>::value &&
              std::is_nothrow_move_constructible<tw::Event>::value);

}  // namespace
}  // namespace tilewright
