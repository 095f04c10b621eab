// A product whose operands are packed into temporaries of a pool, for tests of calls in flight.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "blas_case.hpp"
#include "codelets/space/emit.hpp"
#include "runtime/plan/operands.hpp"

namespace tilewright {

inline constexpr const char* kPanel =
    "layout_a=R4x1C layout_b=C1x8R tile_m=4 tile_n=8 vector_width=4 edges=padded";
inline constexpr const char* kPackA = "pack from=R to=R4x1C tile_m=4 tile_n=4 vector_width=4";
inline constexpr const char* kPackB = "pack from=R to=C1x8R tile_m=4 tile_n=8 vector_width=4";
inline constexpr std::uint64_t kTemporaries = 2;  // number of temporaries per call

// An enqueued product, whose result is checked when it is complete.
struct PackedCall {
  BlasCase test;
  Matrix c;
  cl::Event done;
  std::string verdict(const TestDevice& d) const { return test.wrong(download(d, c, {done})); }
};

// A route that packs A and B, and a pool for its temporaries.
struct PackedRoute {
  TestDevice d;
  TemporaryPool pool{d.context, d.device};
  std::unique_ptr<LoadedKernel> gemm = load_kernel(d, emit(parse_point(kPanel)));
  std::unique_ptr<LoadedKernel> pack_a = load_kernel(d, emit(parse_point(kPackA)));
  std::unique_ptr<LoadedKernel> pack_b = load_kernel(d, emit(parse_point(kPackB)));

  PackedCall enqueue(TemporaryPool* from, const cl::CommandQueue& queue, unsigned seed,
                     const std::vector<cl::Event>& wait_list = {}) const {
    BlasCase test({.m = 61, .n = 43, .k = 50}, 0, 0, seed);
    const Matrix a = upload(d, test.a);
    const Matrix b = upload(d, test.b);
    const Matrix c = upload(d, test.c);
    const GemmProblem problem = resolve(test.call, a, b, c);
    Route route;
    route.kernels[CallStep::kGemm] = gemm.get();
    route.kernels[CallStep::kPackA] = pack_a.get();
    route.kernels[CallStep::kPackB] = pack_b.get();
    route.storage = operand_storage(route, problem.shape);
    cl::Event done = tilewright::enqueue(d.executor, from, queue, route, problem, wait_list);
    queue.flush();
    return {std::move(test), c, std::move(done)};
  }
};

// True if the event completes. Polls, so that a test fails instead of blocking.
inline bool completes(const cl::Event& event) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(10);
  while (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace tilewright
