#include <tilewright/network.h>
#include <tilewright/tilewright.h>

#include <limits>
#include <new>
#include <thread>
#include <type_traits>

#include "api/c_open.hpp"
#include "blas_case.hpp"
#include "catch.hpp"
#include "runtime/api/c_call.hpp"
#include "runtime/call/gemm_problem.hpp"

namespace tilewright {
namespace {

constexpr const char* kGenericProfile = TILEWRIGHT_DATA "/generic.toml";

TEST_CASE("C: a product with wait list and event") {
  const TestDevice d;
  const std::string path = kGenericProfile;
  const OpenLibrary open(d, options_with_path(path));
  CHECK(std::string(tw_profile_origin(open.library)) == path);
  const BlasCase test({.m = 5,
                       .n = 6,
                       .k = 7,
                       .alpha = 2.0f,
                       .beta = 0.5f,
                       .trans_a = Transpose::kYes,
                       .order = Order::kColumnMajor},
                      1, 2, 4);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  cl::UserEvent gate(d.context);
  const cl_event wait = gate();
  cl_event done = nullptr;
  REQUIRE(tw_sgemm(open.library, d.queue(), TW_COLUMN_MAJOR, TW_TRANS, TW_NO_TRANS, 5, 6, 7, 2.0f,
                   a.buffer(), a.offset, a.ld, b.buffer(), b.offset, b.ld, 0.5f, c.buffer(),
                   c.offset, c.ld, 1, &wait, &done) == TW_SUCCESS);
  CHECK(std::string(tw_last_error()).empty());
  d.queue.flush();
  const cl::Event finished(done);
  CHECK(finished.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() !=
        CL_COMPLETE);  // the gate is in its wait list
  gate.setStatus(CL_COMPLETE);
  CHECK(test.wrong(download(d, c, {finished})) == "");
  // Without an event, because the queue is in order.
  const Matrix again = upload(d, test.c);
  REQUIRE(tw_sgemm(open.library, d.queue(), TW_COLUMN_MAJOR, TW_TRANS, TW_NO_TRANS, 5, 6, 7, 2.0f,
                   a.buffer(), a.offset, a.ld, b.buffer(), b.offset, b.ld, 0.5f, again.buffer(),
                   again.offset, again.ld, 0, nullptr, nullptr) == TW_SUCCESS);
  CHECK(test.wrong(download(d, again, {})) == "");
}

TEST_CASE("C: invalid arguments give their status and a message, and have no other effect") {
  const TestDevice d;
  const OpenLibrary open(d);
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 4 * sizeof(float));
  struct Arguments {
    tw_library* library;
    cl_command_queue queue;
    tw_layout layout = TW_ROW_MAJOR;
    tw_transpose ta = TW_NO_TRANS, tb = TW_NO_TRANS;
    std::size_t m = 2, n = 2, k = 2, offset_a = 0;
    cl_mem a, b, c;
    std::size_t lda = 2, ldb = 2, ldc = 2;
    cl_uint num_wait = 0;
    const cl_event* wait = nullptr;
  };
  Arguments good;
  good.library = open.library;
  good.queue = d.queue();
  good.a = good.b = good.c = buffer();
  const auto status = [](const Arguments& x) {
    return tw_sgemm(x.library, x.queue, x.layout, x.ta, x.tb, x.m, x.n, x.k, 1.0f, x.a, x.offset_a,
                    x.lda, x.b, 0, x.ldb, 0.0f, x.c, 0, x.ldc, x.num_wait, x.wait, nullptr);
  };
  const auto with = [&](auto change) {
    Arguments bad = good;
    change(bad);
    const tw_status result = status(bad);
    CHECK_FALSE(std::string(tw_last_error()).empty());
    return result;
  };
  CHECK(with([](Arguments& x) { x.library = nullptr; }) == TW_INVALID_VALUE);
  CHECK(with([](Arguments& x) { x.queue = nullptr; }) == TW_INVALID_QUEUE);
  CHECK(with([](Arguments& x) { x.layout = static_cast<tw_layout>(0); }) == TW_INVALID_VALUE);
  for (const int value : {-1, 127, 128, 201, std::numeric_limits<int>::max()}) {
    INFO(value);
    CHECK(with([=](Arguments& x) { x.layout = static_cast<tw_layout>(value); }) ==
          TW_INVALID_VALUE);
    CHECK(with([=](Arguments& x) { x.ta = static_cast<tw_transpose>(value); }) == TW_INVALID_VALUE);
  }
  CHECK(with([](Arguments& x) { x.ta = static_cast<tw_transpose>(114); }) == TW_INVALID_VALUE);
  CHECK(with([](Arguments& x) { x.tb = static_cast<tw_transpose>(0); }) == TW_INVALID_VALUE);
  CHECK(with([](Arguments& x) { x.m = kMaxExtent + 1; }) == TW_INVALID_DIMENSION);
  CHECK(with([](Arguments& x) { x.n = kMaxExtent + 1; }) == TW_INVALID_DIMENSION);
  CHECK(with([](Arguments& x) { x.k = SIZE_MAX; }) == TW_INVALID_DIMENSION);
  CHECK(with([](Arguments& x) { x.offset_a = SIZE_MAX; }) == TW_INSUFFICIENT_BUFFER_A);
  // Empty matrices still need a leading dimension of at least 1, as in BLAS.
  CHECK(with([](Arguments& x) { x.m = x.n = x.k = x.lda = 0; }) == TW_INVALID_LD_A);
  CHECK(with([](Arguments& x) { x.m = x.n = x.k = x.ldb = 0; }) == TW_INVALID_LD_B);
  CHECK(with([](Arguments& x) { x.m = x.n = x.k = x.ldc = 0; }) == TW_INVALID_LD_C);
  CHECK(with([](Arguments& x) { x.lda = kMaxExtent + 1; }) == TW_INVALID_LD_A);
  CHECK(with([](Arguments& x) { x.ldb = kMaxExtent + 1; }) == TW_INVALID_LD_B);
  CHECK(with([](Arguments& x) { x.ldc = kMaxExtent + 1; }) == TW_INVALID_LD_C);
  CHECK(with([](Arguments& x) { x.lda = 1; }) == TW_INVALID_LD_A);
  CHECK(with([](Arguments& x) { x.ldb = 1; }) == TW_INVALID_LD_B);
  CHECK(with([](Arguments& x) { x.ldc = 1; }) == TW_INVALID_LD_C);
  CHECK(with([](Arguments& x) { x.a = nullptr; }) == TW_INVALID_BUFFER_A);
  CHECK(with([](Arguments& x) { x.b = nullptr; }) == TW_INVALID_BUFFER_B);
  CHECK(with([](Arguments& x) { x.c = nullptr; }) == TW_INVALID_BUFFER_C);
  CHECK(with([](Arguments& x) { x.lda = 3; }) == TW_INSUFFICIENT_BUFFER_A);
  CHECK(with([](Arguments& x) { x.ldb = 3; }) == TW_INSUFFICIENT_BUFFER_B);
  CHECK(with([](Arguments& x) { x.ldc = 3; }) == TW_INSUFFICIENT_BUFFER_C);
  CHECK(with([](Arguments& x) { x.num_wait = 1; }) == TW_INVALID_VALUE);
  const cl_event null_event = nullptr;
  CHECK(with([&](Arguments& x) {
          x.num_wait = 1;
          x.wait = &null_event;
        }) == TW_INVALID_VALUE);
}

// Without a fixed underlying type, values other than the enumerators would be undefined in C++
// before they can be rejected.
template <class Enum>
constexpr bool kHoldsAnyInt = std::is_same_v<std::underlying_type_t<Enum>, int>;
static_assert(kHoldsAnyInt<tw_layout> && kHoldsAnyInt<tw_transpose> && kHoldsAnyInt<tw_status> &&
              kHoldsAnyInt<tw_layer_kind> && kHoldsAnyInt<tw_type> && kHoldsAnyInt<tw_operand>);

// A descriptor of a later version of the header.
struct LaterDesc {
  tw_gemm_desc desc;
  double later;
};

TEST_CASE("C: descriptors of later headers are accepted if they use nothing new") {
  const TestDevice d;
  const OpenLibrary open(d);
  LaterDesc later = {tw_make_gemm_desc(TW_FLOAT, 0, 3, 2), 0.0};
  const auto gemm = [&](std::size_t struct_size) {
    later.desc.struct_size = struct_size;
    return tw_gemm(open.library, d.queue(), &later.desc, nullptr, nullptr, nullptr, 0, nullptr,
                   nullptr);
  };
  CHECK(gemm(sizeof(tw_gemm_desc)) == TW_SUCCESS);
  CHECK(gemm(sizeof(LaterDesc)) == TW_SUCCESS);
  later.later = 1.0;
  CHECK(gemm(sizeof(LaterDesc)) == TW_INVALID_VALUE);
  CHECK(gemm(sizeof(tw_gemm_desc)) == TW_SUCCESS);
  CHECK(gemm(0) == TW_INVALID_VALUE);
  CHECK(gemm(SIZE_MAX) == TW_INVALID_VALUE);
  CHECK(gemm(sizeof(std::size_t)) == TW_INVALID_VALUE);
  CHECK(gemm(sizeof(tw_gemm_desc) + 1) == TW_INVALID_VALUE);  // inside a member
  CHECK(std::string(tw_last_error()).find("size of desc") != std::string::npos);
  CHECK(tw_gemm(open.library, d.queue(), nullptr, nullptr, nullptr, nullptr, 0, nullptr, nullptr) ==
        TW_INVALID_VALUE);
}

TEST_CASE("C: tw_gemm forwards each argument, and checks those that tw_sgemm does not have") {
  const TestDevice d;
  const OpenLibrary open(d);
  const BlasCase test({.m = 5, .n = 6, .k = 7, .alpha = 2.0f, .beta = 0.5f}, 0, 0, 1);
  const tw_gemm_desc good = to_c(test.call);
  const Matrix c_matrix = upload(d, test.c);
  const CMatrix a = to_c(upload(d, test.a));
  const CMatrix b = to_c(upload(d, test.b));
  const CMatrix c = to_c(c_matrix);
  const auto gemm = [&](const tw_gemm_desc& desc, const tw_matrix* with_a) {
    return tw_gemm(open.library, d.queue(), &desc, with_a, &b, &c, 0, nullptr, nullptr);
  };
  const auto with = [&](auto change) {
    tw_gemm_desc desc = good;
    change(desc);
    return gemm(desc, &a);
  };
  CHECK(with([](tw_gemm_desc& x) { x.type = static_cast<tw_type>(5); }) == TW_INVALID_VALUE);
  CHECK(with([](tw_gemm_desc& x) { x.alpha.im = 1.0; }) == TW_INVALID_VALUE);
  CHECK(with([](tw_gemm_desc& x) { x.reserved = 1; }) == TW_INVALID_VALUE);
  tw_matrix packed = a;
  packed.packed = reinterpret_cast<const tw_packed*>(&packed);
  CHECK(gemm(good, &packed) == TW_INVALID_VALUE);
  CHECK(gemm(good, nullptr) == TW_INVALID_BUFFER_A);
  // Without gaps, a leading dimension of 0 is sufficient.
  tw_matrix dense = a;
  dense.ld = 0;
  REQUIRE(gemm(good, &dense) == TW_SUCCESS);
  CHECK(test.wrong(download(d, c_matrix, {})) == "");
}

TEST_CASE("C: errors are stored per thread") {
  CHECK(tw_open(nullptr, nullptr, nullptr, nullptr) == TW_INVALID_VALUE);
  std::string other = "unset";
  std::thread([&] { other = tw_last_error(); }).join();
  CHECK(other.empty());
  CHECK_FALSE(std::string(tw_last_error()).empty());
}

TEST_CASE("C: the OpenCL code of an error is stored per thread until the next call") {
  CHECK(guarded([] { throw Error(TW_OPENCL_ERROR, "it failed", CL_OUT_OF_RESOURCES); }) ==
        TW_OPENCL_ERROR);
  CHECK(tw_last_opencl_code() == CL_OUT_OF_RESOURCES);
  cl_int other = CL_INVALID_VALUE;
  std::thread([&] { other = tw_last_opencl_code(); }).join();
  CHECK(other == CL_SUCCESS);
  CHECK(tw_open(nullptr, nullptr, nullptr, nullptr) == TW_INVALID_VALUE);
  CHECK(tw_last_opencl_code() == CL_SUCCESS);
}

TEST_CASE("C: memory that cannot exist is the status of memory that cannot be allocated") {
  CHECK(guarded([] { std::vector<int>().reserve(SIZE_MAX); }) == TW_OUT_OF_MEMORY);
  CHECK(guarded([] { throw std::bad_alloc(); }) == TW_OUT_OF_MEMORY);
}

TEST_CASE("C: the library has the version of its header") {
  CHECK(tw_version() == TW_VERSION);
}

TEST_CASE("C: statuses have names, and no status is a code of OpenCL") {
  int num_named = 0;
  for (int status = -2000; status < 10000; ++status) {
    const std::string name = tw_status_name(static_cast<tw_status>(status));
    if (name == "unknown status") continue;
    ++num_named;
    INFO(name);
    CHECK(name.rfind("TW_", 0) == 0);
    CHECK((status > 0 || name == "TW_SUCCESS"));
  }
  CHECK(num_named > 30);

  CHECK(std::string(tw_status_name(TW_SUCCESS)) == "TW_SUCCESS");
  CHECK(std::string(tw_status_name(TW_INSUFFICIENT_BUFFER_B)) == "TW_INSUFFICIENT_BUFFER_B");
  CHECK(std::string(tw_status_name(TW_WRONG_LAYOUT)) == "TW_WRONG_LAYOUT");
}

TEST_CASE("C: a batch_count that no buffer has room for is refused before lists are copied") {
  const TestDevice d;
  const OpenLibrary open(d);
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 64);
  const tw_matrix a = tw_make_matrix(buffer(), 0, 0);
  tw_matrix c = a;
  c.stride = 1;
  const tw_scalar alpha = {1.0, 0.0};
  tw_gemm_desc desc = tw_make_gemm_desc(TW_FLOAT, 1, 1, 1);
  desc.alphas = &alpha;
  const auto status = [&](std::size_t count, const tw_matrix& of_c) {
    desc.batch_count = count;
    return tw_gemm(open.library, d.queue(), &desc, &a, &a, &of_c, 0, nullptr, nullptr);
  };
  for (const std::size_t count : {SIZE_MAX, SIZE_MAX / sizeof(tw_scalar), SIZE_MAX >> 24}) {
    CHECK(status(count, c) == TW_INSUFFICIENT_BUFFER_C);
    CHECK_THAT(tw_last_error(), Catch::Matchers::ContainsSubstring("batch_count"));
    tw_matrix none = c;
    none.buffer = nullptr;
    CHECK(status(count, none) == TW_INVALID_BUFFER_C);
  }
  CHECK(status(1, c) == TW_SUCCESS);
  CHECK(status(0, c) == TW_SUCCESS);
  // Empty products need no memory.
  desc.m = 0;
  CHECK(status(SIZE_MAX, c) == TW_SUCCESS);
  d.queue.finish();
}

TEST_CASE("C: the library supports those types for which products do not fail") {
  const TestDevice d;
  const OpenLibrary open(d);
  for (const tw_type type : {TW_FLOAT, TW_DOUBLE, TW_HALF, TW_COMPLEX_FLOAT, TW_COMPLEX_DOUBLE}) {
    const tw_gemm_desc desc = tw_make_gemm_desc(type, 4, 4, 4);
    tw_plan* plan = nullptr;
    const tw_status status = tw_plan_create(open.library, &desc, nullptr, nullptr, nullptr, &plan);
    tw_plan_free(plan);
    INFO(type);
    CHECK(tw_supports(open.library, type) == (status == TW_SUCCESS ? 1 : 0));
    CHECK((status == TW_SUCCESS || status == TW_UNSUPPORTED_TYPE));
  }
  CHECK(tw_supports(open.library, static_cast<tw_type>(-1)) == 0);
  CHECK(tw_supports(open.library, static_cast<tw_type>(5)) == 0);
  CHECK(tw_supports(nullptr, TW_FLOAT) == 0);
}

}  // namespace
}  // namespace tilewright
