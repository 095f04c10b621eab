#include <tilewright/mlp.h>
#include <tilewright/tilewright.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <thread>
#include <type_traits>

#include "blas_case.hpp"
#include "catch.hpp"
#include "runtime/api/c_api_util.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

std::string data(const char* name) {
  return std::string(TILEWRIGHT_DATA "/") + name;
}

struct OpenLibrary {
  tw_library* library = nullptr;
  explicit OpenLibrary(const TestDevice& d) {
    REQUIRE(tw_open(d.context(), d.device(), data("generic.toml").c_str(), &library) == TW_SUCCESS);
  }
  ~OpenLibrary() { tw_close(library); }
};

TEST_CASE("C: a product with wait list and event") {
  const TestDevice d;
  const OpenLibrary open(d);
  CHECK(std::string(tw_profile_origin(open.library)) ==
        data("generic.toml") + " (named by the program)");
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
    std::size_t m = 2;
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
    return tw_sgemm(x.library, x.queue, x.layout, x.ta, x.tb, x.m, 2, 2, 1.0f, x.a, 0, x.lda, x.b,
                    0, x.ldb, 0.0f, x.c, 0, x.ldc, x.num_wait, x.wait, nullptr);
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
              kHoldsAnyInt<tw_layer_kind>);

TEST_CASE("C: opening fails with the correct status and a null library") {
  const TestDevice d;
  tw_library* library = reinterpret_cast<tw_library*>(&library);
  const auto open = [&](const char* path) {
    return tw_open(d.context(), d.device(), path, &library);
  };
  CHECK(open("/no/such/profile.toml") == TW_NO_PROFILE);
  CHECK(library == nullptr);
  CHECK(std::string(tw_last_error()).find("/no/such/profile.toml") != std::string::npos);
  const TemporaryFolder folder;
  const std::string notes = folder.file("notes.txt");
  std::ofstream(notes) << "no profile\n";
  CHECK(open(notes.c_str()) == TW_BAD_PROFILE);
  CHECK(tw_open(nullptr, d.device(), nullptr, &library) == TW_INVALID_VALUE);
  CHECK(tw_open(d.context(), nullptr, nullptr, &library) == TW_INVALID_VALUE);
  CHECK(tw_open(d.context(), d.device(), nullptr, nullptr) == TW_INVALID_VALUE);
  tw_close(nullptr);
  CHECK(std::string(tw_profile_origin(nullptr)).empty());
}

TEST_CASE("C: a library is opened with the text of a profile") {
  const TestDevice d;
  tw_library* library = nullptr;
  const auto open = [&](const char* text) {
    return tw_open_text(d.context(), d.device(), text, &library);
  };
  std::ifstream file(data("generic.toml"));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // The text takes precedence over the environment.
  const ScopedVariable named("TILEWRIGHT_PROFILE", "/no/such/profile.toml");
  REQUIRE(open(text.c_str()) == TW_SUCCESS);
  CHECK(std::string(tw_profile_origin(library)) == "profile text (passed by the program)");
  tw_close(library);
  CHECK(open(text.substr(0, text.size() / 2).c_str()) == TW_BAD_PROFILE);
  CHECK(library == nullptr);
  CHECK(open(nullptr) == TW_INVALID_VALUE);
  CHECK(tw_open_text(d.context(), d.device(), text.c_str(), nullptr) == TW_INVALID_VALUE);
}

TEST_CASE("C: a null path uses TILEWRIGHT_PROFILE first") {
  const TestDevice d;
  tw_library* library = nullptr;
  ::setenv("TILEWRIGHT_PROFILE", "/no/such/profile.toml", 1);
  CHECK(tw_open(d.context(), d.device(), nullptr, &library) == TW_NO_PROFILE);
  ::setenv("TILEWRIGHT_PROFILE", data("generic.toml").c_str(), 1);
  REQUIRE(tw_open(d.context(), d.device(), nullptr, &library) == TW_SUCCESS);
  CHECK(std::string(tw_profile_origin(library)) ==
        data("generic.toml") + " (named by TILEWRIGHT_PROFILE)");
  tw_close(library);
  ::unsetenv("TILEWRIGHT_PROFILE");
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

}  // namespace
}  // namespace tilewright
