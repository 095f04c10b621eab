// Tests on a device how many temporaries calls use if nobody waits for them.
#include <chrono>
#include <optional>
#include <thread>

#include "catch.hpp"
#include "out_of_order.hpp"
#include "packed_route.hpp"
#include "runtime/call/opencl_error.hpp"

namespace tilewright {
namespace {

// True if the pool becomes empty within 10 s.
bool becomes_empty(const TemporaryPool& pool) {
  for (int i = 0; i < 1000 && pool.stats().kept > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return pool.stats().kept == 0;
}

TEST_CASE("temporaries above the limit are used by calls in flight and freed when these are done",
          "[threads]") {
  PackedRoute route;
  TemporaryPool small(allocate_in(route.d.context), 4096, std::size_t{1} << 30);
  cl::UserEvent gate(route.d.context);
  std::vector<PackedCall> calls;
  for (unsigned i = 0; i < 8; ++i) {
    calls.push_back(route.enqueue(&small, route.d.queue, i, {gate}));
  }
  CHECK(small.stats().allocated == kTemporaries);
  gate.setStatus(CL_COMPLETE);
  for (const PackedCall& call : calls) CHECK(call.verdict(route.d) == "");
  CHECK(becomes_empty(small));
  CHECK(small.stats().kept_bytes == 0);
}

TEST_CASE("a temporary above the limit may outlive its pool", "[threads]") {
  PackedRoute route;
  std::optional<TemporaryPool> small;
  small.emplace(allocate_in(route.d.context), 4096, std::size_t{1} << 30);
  cl::UserEvent gate(route.d.context);
  const PackedCall call = route.enqueue(&*small, route.d.queue, 1, {gate});
  small.reset();
  gate.setStatus(CL_COMPLETE);
  CHECK(call.verdict(route.d) == "");
}

std::optional<cl::CommandQueue> queue_without_order(const TestDevice& d) {
  cl_int code = CL_SUCCESS;
  cl::CommandQueue queue(d.context, d.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code != CL_SUCCESS) return std::nullopt;
  return queue;
}

TEST_CASE("out of order, a call uses the temporaries of a call that it waits for", "[threads]") {
  PackedRoute route;
  const auto queue = queue_without_order(route.d);
  if (!queue) SKIP_CASE("the device has no out-of-order queues");
  cl::UserEvent gate(route.d.context);
  std::vector<PackedCall> calls;
  for (unsigned i = 0; i < 8; ++i) {
    const cl::Event after = calls.empty() ? cl::Event(gate) : calls.back().done;
    calls.push_back(route.enqueue(&route.pool, *queue, i, {after}));
  }
  CHECK(route.pool.stats().allocated == kTemporaries);
  gate.setStatus(CL_COMPLETE);
  for (const PackedCall& call : calls) CHECK(call.verdict(route.d) == "");
}

TEST_CASE("out of order, a call fails if only temporaries in use have enough memory", "[threads]") {
  PackedRoute route;
  const auto queue = queue_without_order(route.d);
  if (!queue) SKIP_CASE("the device has no out-of-order queues");
  std::uint64_t left = kTemporaries;
  const AllocateTemporary make = allocate_in(route.d.context);
  TemporaryPool pool(
      [&](const TemporaryExtents& extents) {
        if (left == 0) check_opencl(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer");
        --left;
        return make(extents);
      },
      std::size_t{1} << 20, std::size_t{1} << 30);
  cl::UserEvent gate(route.d.context);
  const PackedCall first = route.enqueue(&pool, *queue, 0, {gate});
  CHECK_THROWS_AS(route.enqueue(&pool, *queue, 1), Error);
  gate.setStatus(CL_COMPLETE);
  CHECK(first.verdict(route.d) == "");
  CHECK(route.enqueue(&pool, *queue, 2).verdict(route.d) == "");
  CHECK(pool.stats().allocated == kTemporaries);
}

TEST_CASE("no call waits for a call that depends on a user event of the application", "[threads]") {
  PackedRoute route;
  const auto queue = queue_without_order(route.d);
  if (!queue || !can_overtake(route.d, *queue)) {
    SKIP_CASE("commands of the device's queues do not overtake each other");
  }
  cl::UserEvent gate(route.d.context);
  std::vector<PackedCall> gated;
  for (unsigned i = 0; i < 40; ++i) {
    gated.push_back(route.enqueue(&route.pool, *queue, i, {gate}));
  }
  // Nor for a call that depends on one through another call.
  for (unsigned i = 0; i < 20; ++i) {
    gated.push_back(route.enqueue(&route.pool, *queue, i, {gated.back().done}));
  }
  const PackedCall free = route.enqueue(&route.pool, *queue, 2);
  CHECK(completes(free.done));
  gate.setStatus(CL_COMPLETE);
  for (const PackedCall& call : gated) CHECK(call.verdict(route.d) == "");
}

}  // namespace
}  // namespace tilewright
