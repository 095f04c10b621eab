// Tests that a warm call allocates no memory in our own code. Allocations of the OpenCL driver do
// not count.
//
// The operator new of this program counts (counted_calls.hpp). Drivers written in C use malloc,
// which is not counted; all of our code uses new.
#include <tilewright/tilewright.hpp>
#include "runtime/api/plan.hpp"

#include "catch.hpp"
#include "counted_calls.hpp"
#include "panel_library.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

constexpr GemmCall kCall{.m = 13, .n = 9, .k = 21};
constexpr GemmCall kPacked{
    .m = 13, .n = 9, .k = 21, .trans_a = Transpose::kYes, .trans_b = Transpose::kYes};

struct Case {
  BlasCase test;
  Matrix a, b, c;
  Case(const TestDevice& d, const GemmCall& call)
      : test(call, 0, 0, 1), a(upload(d, test.a)), b(upload(d, test.b)), c(upload(d, test.c)) {}
};

TEST_CASE("operator new counts allocations") {
  const TestDevice d;
  // A compiler may remove `delete new int`.
  CHECK(warm_allocations(d, [] { ::operator delete(::operator new(sizeof(int))); }) == 1);
}

// Without a queue nothing can be launched.
TEST_CASE(
    "opening a library compiles nothing, launches nothing and waits for nothing on any device") {
  const TestDevice d;
  const auto opening = [&](const ProfileSource& source) {
    start_counting();
    const LibraryHandle library = Library::open(d.context, d.device, source);
    CountedCalls counted = stop_counting();
    counted.allocations = 0;
    return counted;
  };
  const std::string text = write_profile(built_in_profile({}));
  for (const unsigned floats : {1, 4, 8, 16}) {
    INFO(floats << " floats in a vector");
    const NativeVectors native(floats);
    CHECK(opening(ProfileSource::builtin()) == CountedCalls{});
    CHECK(opening(ProfileSource::automatic()) == CountedCalls{});
    CHECK(opening(ProfileSource::text(text)) == CountedCalls{});
  }
}

TEST_CASE("the counters count programs and queues") {
  const TestDevice d;
  start_counting();
  const cl::CommandQueue queue(d.context, d.device);
  cl::Program(d.context, "kernel void nothing() {}").build();
  const CountedCalls counted = stop_counting();
  CHECK(counted.queues == 1);
  CHECK(counted.built == 1);
}

TEST_CASE("a warm sgemm does not allocate, with or without packing and events") {
  const TestDevice d;
  LibraryHandle library = builtin(d);
  REQUIRE(library->kernels_for(kPacked).size() == 2);
  for (const GemmCall& call : {kCall, kPacked}) {
    const Case x(d, call);
    CHECK(warm_allocations(d, [&] { library->gemm(d.queue, call, x.a, x.b, x.c); }) == 0);
    const std::vector<cl::Event> wait_list{library->gemm(d.queue, call, x.a, x.b, x.c)};
    CHECK(warm_allocations(d, [&] { library->gemm(d.queue, call, x.a, x.b, x.c, wait_list); }) ==
          0);
  }
}

TEST_CASE("a warm sgemm neither allocates for logging nor logs") {
  const TestDevice d;
  int lines = 0;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin(),
                                        [&](Severity, const std::string&) { ++lines; });
  for (const GemmCall& call : {kCall, kPacked}) {
    const Case x(d, call);
    library->gemm(d.queue, call, x.a, x.b, x.c);
    REQUIRE(lines > 0);
    lines = 0;
    CHECK(warm_allocations(d, [&] { library->gemm(d.queue, call, x.a, x.b, x.c); }) == 0);
    CHECK(lines == 0);
  }
}

TEST_CASE("executing a plan does not allocate") {
  const TestDevice d;
  LibraryHandle library = make_library(d, panels());
  const Plan plan = Plan(library, kCall);
  REQUIRE(plan.kernel() == "panels");
  const Case x(d, kCall);
  const PackedMatrix packed_a = plan.pack(Operand::kA, d.queue, x.a);
  const PackedMatrix packed_b = plan.pack(Operand::kB, d.queue, x.b);
  d.queue.finish();
  CHECK(warm_allocations(d, [&] { plan.execute(d.queue, packed_a, packed_b, x.c); }) == 0);
  CHECK(warm_allocations(d, [&] { plan.execute(d.queue, x.a, packed_b, x.c); }) == 0);
}

TEST_CASE("planning a known product allocates nothing") {
  const TestDevice d;
  LibraryHandle library = make_library(d, panels());
  CHECK(warm_allocations(d, [&] { Plan(library, kCall); }) == 0);
}

TEST_CASE("C: a warm tw_sgemm or tw_gemm does not allocate, except once for a wait list") {
  const TestDevice d;
  tw_library* library = nullptr;
  REQUIRE(tw_open(d.context(), d.device(), nullptr, &library) == TW_SUCCESS);
  const Case x(d, kCall);
  const auto call = [&](cl_uint num_wait, const cl_event* wait) {
    return tw_sgemm(library, d.queue(), TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, 13, 9, 21, 1.0f,
                    x.a.buffer(), 0, 21, x.b.buffer(), 0, 9, 0.0f, x.c.buffer(), 0, 9, num_wait,
                    wait, nullptr);
  };
  CHECK(warm_allocations(d, [&] { call(0, nullptr); }) == 0);
  const tw_gemm_desc desc = tw_make_gemm_desc(TW_FLOAT, 13, 9, 21);
  const tw_matrix a = tw_make_matrix(x.a.buffer(), 0, 21);
  const tw_matrix b = tw_make_matrix(x.b.buffer(), 0, 0);
  const tw_matrix c = tw_make_matrix(x.c.buffer(), 0, 9);
  CHECK(warm_allocations(
            d, [&] { tw_gemm(library, d.queue(), &desc, &a, &b, &c, 0, nullptr, nullptr); }) == 0);
  cl::UserEvent before(d.context);
  before.setStatus(CL_COMPLETE);
  const cl_event wait[] = {before(), before()};
  CHECK(warm_allocations(d, [&] { call(2, wait); }) == 1);
  tw_close(library);
}

TEST_CASE("C++: a warm product through tilewright.hpp does not allocate") {
  const TestDevice d;
  const tw::Library library(d.queue);
  const Case x(d, kCall);
  CHECK(warm_allocations(d, [&] {
          library.gemm<float>(d.queue, {13, 9, 21}, x.a.buffer, {x.b.buffer, 0, 9}, x.c.buffer);
        }) == 0);
}

TEST_CASE("C: max_kept_bytes limits the temporaries that are kept for later calls") {
  const TestDevice d;
  const Case x(d, kPacked);
  tw_gemm_desc desc = tw_make_gemm_desc(TW_FLOAT, 13, 9, 21);
  desc.trans_a = desc.trans_b = TW_TRANS;
  const tw_matrix a = tw_make_matrix(x.a.buffer(), 0, 0);
  const tw_matrix b = tw_make_matrix(x.b.buffer(), 0, 0);
  const tw_matrix c = tw_make_matrix(x.c.buffer(), 0, 0);
  const auto buffers_of_a_warm_call = [&](std::size_t max_kept_bytes) {
    tw_options options = tw_make_options();
    options.built_in_profile = 1;
    options.max_kept_bytes = max_kept_bytes;
    tw_library* library = nullptr;
    REQUIRE(tw_open(d.context(), d.device(), &options, &library) == TW_SUCCESS);
    const CountedCalls counted = warm_calls(d, [&] {
      REQUIRE(tw_gemm(library, d.queue(), &desc, &a, &b, &c, 0, nullptr, nullptr) == TW_SUCCESS);
    });
    tw_close(library);
    return counted.made;
  };
  CHECK(buffers_of_a_warm_call(TW_DEFAULT_KEPT_BYTES) == 0);
  CHECK(buffers_of_a_warm_call(std::size_t{1} << 20) == 0);
  // With Rusticl, an event may be incomplete for a moment after clFinish(). The next call on the
  // in-order queue then uses the temporaries before they are freed.
  bool made = false;
  for (int tries = 0; tries < 20 && !made; ++tries) made = buffers_of_a_warm_call(0) > 0;
  CHECK(made);
}

}  // namespace
}  // namespace tilewright
