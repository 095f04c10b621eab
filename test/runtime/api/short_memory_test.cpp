// Tests products with little device memory, and how many buffers a series of products creates
// without waiting. The created buffers are counted (counted_calls.hpp).
#include <tilewright/tilewright.hpp>
#include "runtime/api/plan.hpp"

#include <optional>

#include "catch.hpp"
#include "counted_calls.hpp"
#include "panel_library.hpp"

namespace tilewright {
namespace {

constexpr GemmCall kShortCall{.m = 13, .n = 9, .k = 21};

template <class Element>
struct TypedCase {
  BlasCaseOf<Element> test;
  Matrix a, b, c;
  TypedCase(const TestDevice& d, const GemmCall& call)
      : test(call, 0, 0, 1), a(upload(d, test.a)), b(upload(d, test.b)), c(upload(d, test.c)) {}
  std::string wrong(const TestDevice& d, const cl::Event& done) const {
    return test.wrong(download<Element>(d, c, {done}));
  }
};

TEST_CASE("without memory for packing, the next plan that needs less memory runs") {
  const TestDevice d;
  LibraryHandle library = make_library(d, panels());
  REQUIRE(library->kernels_for(kShortCall).size() == 3);
  const Plan plan = Plan(library, kShortCall);
  for (const auto refuses : {LimitedMemory::Refuses::kCreation, LimitedMemory::Refuses::kLaunch}) {
    GemmCall update = kShortCall;
    update.beta = -0.5;
    for (const GemmCall& call : {kShortCall, update}) {
      const TypedCase<float> product(d, call);
      const TypedCase<float> planned(d, kShortCall);
      const LimitedMemory limit(0, refuses);
      CHECK(product.wrong(d, library->gemm(d.queue, call, product.a, product.b, product.c)) == "");
      CHECK(limit.refused() > 0);
      CHECK(planned.wrong(d, plan.execute(d.queue, planned.a, planned.b, planned.c)) == "");
    }
  }
  // With enough memory, the best plan runs again.
  const TypedCase<float> again(d, kShortCall);
  start_counting();
  const cl::Event done = library->gemm(d.queue, kShortCall, again.a, again.b, again.c);
  CHECK(stop_counting().made == 2);
  CHECK(again.wrong(d, done) == "");
}

TEST_CASE("without memory for a batch's temporaries, all products use the next plan") {
  const TestDevice d;
  LibraryHandle library = make_library(d, panels());
  const std::vector<float> ones(3 * 21 * 21, 1.0f);
  const auto made = [&] {
    return cl::Buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, ones.size() * 4,
                      const_cast<float*>(ones.data()));
  };
  const cl::Buffer a = made(), b = made(), c = made();
  const LimitedMemory limit(0);
  const cl::Event done = library->gemm_strided_batched(d.queue, kShortCall, {a, 0, 21, 441},
                                                       {b, 0, 9, 441}, {c, 0, 9, 441}, 3);
  const std::vector<float> got = download(d, {c, 0, 9}, {done});
  for (std::size_t i = 0; i < 3; ++i) CHECK(got[i * 441 + 13 * 9 - 1] == 21.0f);
}

TEST_CASE("a product for which no plan has enough memory fails with a message") {
  const TestDevice d;
  LibraryHandle library = builtin(d);
  GemmCall call = kShortCall;
  call.type = ElementType::kComplexFloat;
  const TypedCase<std::complex<float>> x(d, call);
  const LimitedMemory limit(0);
  CHECK(error_status([&] { library->gemm(d.queue, call, x.a, x.b, x.c); }) == TW_OUT_OF_MEMORY);
}

TEST_CASE("C++: an error has the OpenCL code that caused it") {
  const TestDevice d;
  const tw::Library library(d.queue, tw::Options().built_in_profile());
  GemmCall call = kShortCall;
  call.type = ElementType::kComplexFloat;
  const TypedCase<std::complex<float>> x(d, call);
  const LimitedMemory limit(0);
  cl_int code = CL_SUCCESS;
  try {
    library.gemm<std::complex<float>>(d.queue, {call.m, call.n, call.k}, x.a.buffer, x.b.buffer,
                                      x.c.buffer);
  } catch (const tw::Error& error) {
    CHECK(error.status() == TW_OUT_OF_MEMORY);
    code = error.opencl_code();
  }
  CHECK(code == CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

TEST_CASE("complex: another form is used if a matrix exceeds the maximum buffer size") {
  const TestDevice d;
  GemmCall call{.m = 90, .n = 100, .k = 100, .type = ElementType::kComplexFloat};
  const TypedCase<std::complex<float>> x(d, call);
  const LimitedBuffers limit(180 * 208 * 4);
  LibraryHandle library = builtin(d);
  CHECK(library->explain(call).find("in place") != std::string::npos);
  CHECK(x.wrong(d, library->gemm(d.queue, call, x.a, x.b, x.c)) == "");
  const Plan plan = Plan(library, call);
  const PackedMatrix packed = plan.pack(Operand::kB, d.queue, x.b);
  CHECK(x.wrong(d, plan.execute(d.queue, x.a, packed, x.c)) == "");
}

std::optional<cl::CommandQueue> out_of_order(const TestDevice& d) {
  cl_int code = CL_SUCCESS;
  cl::CommandQueue queue(d.context, d.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code != CL_SUCCESS) return std::nullopt;
  return queue;
}

// Number of buffers that `calls` calls create if each waits for the previous one and none can start
// yet.
template <class Element>
std::size_t buffers_of_chain(const TestDevice& d, const cl::CommandQueue& queue,
                             LibraryHandle& library, const GemmCall& call, int count) {
  const TypedCase<Element> x(d, call);
  cl::UserEvent gate(d.context);
  std::vector<cl::Event> after{gate};
  start_counting();
  for (int i = 0; i < count; ++i) after = {library->gemm(queue, call, x.a, x.b, x.c, after)};
  const std::size_t made = stop_counting().made;
  gate.setStatus(CL_COMPLETE);
  CHECK(x.wrong(d, after.front()) == "");
  return made;
}

TEST_CASE("out of order: calls that wait for each other use the same temporaries") {
  const TestDevice d;
  const auto queue = out_of_order(d);
  if (!queue) SKIP_CASE("the device has no out-of-order queues");
  LibraryHandle library = make_library(d, panels());
  library
      ->gemm(*queue, kShortCall, TypedCase<float>(d, kShortCall).a,
             TypedCase<float>(d, kShortCall).b, TypedCase<float>(d, kShortCall).c)
      .wait();
  LibraryHandle fresh = make_library(d, panels());
  Plan(fresh, kShortCall);
  CHECK(buffers_of_chain<float>(d, *queue, fresh, kShortCall, 12) <=
        2 + 6);  // plus two kernels for each
  GemmCall complex = kShortCall;
  complex.type = ElementType::kComplexFloat;
  complex.alpha = {0.5, 1.0};
  const std::size_t once = buffers_of_chain<std::complex<float>>(d, *queue, fresh, complex, 1);
  LibraryHandle other = make_library(d, panels());
  CHECK(buffers_of_chain<std::complex<float>>(d, *queue, other, complex, 12) <= once + 8);
}

TEST_CASE("out of order: the products of a batch share a few temporaries") {
  const TestDevice d;
  const auto queue = out_of_order(d);
  if (!queue) SKIP_CASE("the device has no out-of-order queues");
  constexpr std::size_t kCount = 24;
  const std::vector<float> ones(kCount * 441, 1.0f);
  const auto made = [&] {
    return cl::Buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, ones.size() * 4,
                      const_cast<float*>(ones.data()));
  };
  const cl::Buffer a = made(), b = made(), c = made();
  LibraryHandle library = make_library(d, panels());
  Plan(library, kShortCall);
  cl::UserEvent gate(d.context);
  const auto batch = [&](const std::vector<cl::Event>& after) {
    return library->gemm_strided_batched(*queue, kShortCall, {a, 0, 21, 441}, {b, 0, 9, 441},
                                         {c, 0, 9, 441}, kCount, after);
  };
  start_counting();
  const cl::Event first = batch({gate});
  const cl::Event second = batch({first});
  CHECK(stop_counting().made <= 4 * 2 + 6);  // plus kernels
  gate.setStatus(CL_COMPLETE);
  const std::vector<float> got = download(d, {c, 0, 9}, {second});
  for (std::size_t i = 0; i < kCount; ++i) CHECK(got[i * 441 + 13 * 9 - 1] == 21.0f);
}

}  // namespace
}  // namespace tilewright
