// Tests on a device which calls in flight may use the same temporary.
#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "catch.hpp"
#include "packed_route.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/device_identity.hpp"
#include "slow_built_in.hpp"

namespace tilewright {
namespace {

TEST_CASE("consecutive calls use the same temporaries") {
  PackedRoute route;
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(route.enqueue(&route.pool, route.d.queue, i).verdict(route.d) == "");
  }
  CHECK(route.pool.stats().given == 4 * kTemporaries);
  CHECK(route.pool.stats().allocated == kTemporaries);
}

TEST_CASE("without a pool, a call allocates its own temporaries") {
  PackedRoute route;
  CHECK(route.enqueue(nullptr, route.d.queue, 1).verdict(route.d) == "");
  CHECK(route.pool.stats().given == 0);
}

TEST_CASE("calls in flight on one in-order queue use the same temporaries") {
  PackedRoute route;
  cl::UserEvent gate(route.d.context);
  std::vector<PackedCall> calls;
  for (unsigned i = 0; i < 4; ++i) {
    calls.push_back(route.enqueue(&route.pool, route.d.queue, i, {gate}));
  }
  CHECK(route.pool.stats().allocated == kTemporaries);
  gate.setStatus(CL_COMPLETE);
  for (const PackedCall& call : calls) CHECK(call.verdict(route.d) == "");
}

TEST_CASE("calls in flight on two queues share no temporary and do not wait for each other",
          "[threads]") {
  PackedRoute route;
  const cl::CommandQueue other(route.d.context, route.d.device);
  cl::UserEvent gate(route.d.context);
  const PackedCall gated = route.enqueue(&route.pool, route.d.queue, 1, {gate});
  const PackedCall free = route.enqueue(&route.pool, other, 2);
  CHECK(completes(free.done));
  CHECK(gated.done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  CHECK(route.pool.stats().allocated == 2 * kTemporaries);
  gate.setStatus(CL_COMPLETE);
  CHECK(gated.verdict(route.d) == "");
  CHECK(free.verdict(route.d) == "");
  // All are complete: either queue may use the temporaries of the other one.
  for (const cl::CommandQueue& queue : {other, route.d.queue}) {
    CHECK(route.enqueue(&route.pool, queue, 3).verdict(route.d) == "");
  }
  CHECK(route.pool.stats().allocated == 2 * kTemporaries);
}

TEST_CASE("calls in flight on an out-of-order queue share no temporary", "[threads]") {
  PackedRoute route;
  cl_int code = CL_SUCCESS;
  const cl::CommandQueue queue(route.d.context, route.d.device,
                               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code != CL_SUCCESS) SKIP_CASE("the device has no out-of-order queues");
  cl::UserEvent gate(route.d.context);
  const PackedCall gated = route.enqueue(&route.pool, queue, 1, {gate});
  const PackedCall free = route.enqueue(&route.pool, queue, 2);
  CHECK(route.pool.stats().allocated == 2 * kTemporaries);
  gate.setStatus(CL_COMPLETE);
  CHECK(gated.verdict(route.d) == "");
  CHECK(free.verdict(route.d) == "");
  CHECK(route.enqueue(&route.pool, queue, 3).verdict(route.d) == "");
  CHECK(route.pool.stats().allocated == 2 * kTemporaries);
}

TEST_CASE(
    "an incomplete chain returns its temporaries, which are in use until its last command completes") {
  PackedRoute route;
  const cl::CommandQueue other(route.d.context, route.d.device);
  const Storage storage{Layout::R(), false, 100, 100, 100, 10000};
  cl::UserEvent gate(route.d.context);
  {
    TemporaryLease broken(route.pool, route.d.queue);
    broken.take(storage);
    broken.enqueued(gate);
  }
  const auto take = [&](const cl::CommandQueue& queue, int how_many) {
    TemporaryLease lease(route.pool, queue);
    for (int i = 0; i < how_many; ++i) lease.take(storage);
  };
  take(other, 1);
  CHECK(route.pool.stats().allocated == 2);
  // A chain that takes the temporary and enqueues nothing leaves it in use.
  take(route.d.queue, 2);
  CHECK(route.pool.stats().allocated == 2);
  TemporaryLease both(route.pool, other);
  both.take(storage);
  both.take(storage);
  CHECK(route.pool.stats().allocated == 3);
  gate.setStatus(-1);  // a failed command does not use it any more
  both.take(storage);
  CHECK(route.pool.stats().allocated == 3);
}

TEST_CASE("temporaries in use are not freed for lack of memory, and outlive their pool") {
  PackedRoute route;
  cl::UserEvent gate(route.d.context);
  std::optional<TemporaryPool> pool;
  pool.emplace(route.d.context, route.d.device);
  const PackedCall call = route.enqueue(&*pool, route.d.queue, 1, {gate});
  CHECK_FALSE(pool->release_free());
  CHECK(pool->stats().kept == kTemporaries);
  pool.reset();
  gate.setStatus(CL_COMPLETE);
  CHECK(call.verdict(route.d) == "");
}

TEST_CASE("the limit is 256 MiB, more for a large memory, and at most a quarter of it") {
  const TestDevice d;
  constexpr cl_ulong kMiB = cl_ulong{1} << 20;
  CHECK(TemporaryPool::default_bytes(d.device) ==
        TemporaryPool::default_bytes(d.device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>()));
  CHECK(TemporaryPool::default_bytes(512 * kMiB) == 128 * kMiB);
  CHECK(TemporaryPool::default_bytes(4096 * kMiB) == 256 * kMiB);
  CHECK(TemporaryPool::default_bytes(65536 * kMiB) == 1024 * kMiB);
}

// A profile whose best kernel requires packed A and B.
std::string packed_profile(const TestDevice& d) {
  Profile profile;
  profile.provenance.complete = true;
  profile.device = identify(d.device);
  for (const char* point : {kPanel, kPackA, kPackB}) {
    profile.kernels.push_back(emit(parse_point(point)));
  }
  const std::string& best = profile.kernels.front().name;
  profile.results.push_back({Op::kNN, 8, 8, 8, best, 1.0, 1.0, 1.0, 9, 0.1});
  add_slow_built_in(profile, d);
  return write_profile(profile);
}

// Runs a few products of several sizes, all in flight at the same time. Returns the first error, or
// "".
std::string run_some(const TestDevice& d, LibraryHandle& library, const cl::CommandQueue& queue,
                     unsigned seed) {
  std::vector<PackedCall> calls;
  for (std::size_t i = 0; i < 6; ++i) {
    BlasCase test({.m = 20 + 31 * (i % 3), .n = 33, .k = 40 + i}, 0, 0,
                  seed + static_cast<unsigned>(i));
    const Matrix c = upload(d, test.c);
    cl::Event done = library->gemm(queue, test.call, upload(d, test.a), upload(d, test.b), c);
    calls.push_back({std::move(test), c, std::move(done)});
  }
  for (const PackedCall& call : calls) {
    std::vector<float> got(call.test.c.data.size());
    const std::vector<cl::Event> after{call.done};
    queue.enqueueReadBuffer(call.c.buffer, CL_TRUE, 0, got.size() * sizeof(float), got.data(),
                            &after);
    if (std::string verdict = call.test.wrong(got); !verdict.empty()) return verdict;
  }
  return "";
}

// Minimum reference count of the context within some time, because drivers release completed
// objects with a delay.
cl_uint context_holders(const TestDevice& d) {
  d.queue.finish();
  cl_uint least = d.context.getInfo<CL_CONTEXT_REFERENCE_COUNT>();
  for (int unchanged = 0; unchanged < 50; ++unchanged) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const cl_uint now = d.context.getInfo<CL_CONTEXT_REFERENCE_COUNT>();
    if (now < least) unchanged = 0;
    least = std::min(least, now);
  }
  return least;
}

TEST_CASE("the library keeps its temporaries") {
  const TestDevice d;
  const cl_uint without = context_holders(d);
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 4096);
  if (context_holders(d) == without) SKIP_CASE("this driver does not count its buffers");
  LibraryHandle library =
      Library::open(d.context, d.device, ProfileSource::text(packed_profile(d)));
  const auto holders_after = [&](std::size_t k) {
    {
      const BlasCase test({.m = 64, .n = 64, .k = k}, 0, 0, 1);
      const Matrix c = upload(d, test.c);
      library->gemm(d.queue, test.call, upload(d, test.a), upload(d, test.b), c).wait();
    }
    return context_holders(d);
  };
  const cl_uint once = holders_after(64);
  CHECK(holders_after(64) == once);
  CHECK(holders_after(256) == once + kTemporaries);
}

TEST_CASE("threads with packed products share a library, on a common queue or on separate queues",
          "[threads]") {
  const TestDevice d;
  LibraryHandle library =
      Library::open(d.context, d.device, ProfileSource::text(packed_profile(d)));
  REQUIRE(library->kernels_for({.m = 20, .n = 33, .k = 40}).size() == 3);
  for (const bool shared : {true, false}) {
    std::vector<std::string> verdicts(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < verdicts.size(); ++t) {
      threads.emplace_back([&, t] {
        const cl::CommandQueue queue = shared ? d.queue : cl::CommandQueue(d.context, d.device);
        for (unsigned i = 0; i < 8 && verdicts[t].empty(); ++i) {
          verdicts[t] = run_some(d, library, queue, 100 * static_cast<unsigned>(t) + i);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& verdict : verdicts) CHECK(verdict == "");
  }
}

TEST_CASE("packed work completes after the library that enqueued it is destroyed", "[threads]") {
  const TestDevice d;
  const BlasCase test({.m = 50, .n = 50, .k = 50}, 0, 0, 3);
  const Matrix c = upload(d, test.c);
  cl::UserEvent gate(d.context);
  cl::Event done;
  {
    LibraryHandle library =
        Library::open(d.context, d.device, ProfileSource::text(packed_profile(d)));
    done = library->gemm(d.queue, test.call, upload(d, test.a), upload(d, test.b), c, {gate});
    REQUIRE(library->kernels_for(test.call).size() == 3);
  }
  gate.setStatus(CL_COMPLETE);
  done.wait();
  CHECK(test.wrong(download(d, c, {done})) == "");
}

}  // namespace
}  // namespace tilewright
