// Tests which temporaries the pool keeps, gives out again and frees, with memory that is only
// counted.
#include "runtime/device/temporary_pool.hpp"

#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/plan/operands.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

Storage buffer_storage(std::size_t bytes) {
  return {Layout::R(), false, 1, static_cast<std::int64_t>(bytes / 4), bytes / 4, bytes / 4};
}

Storage image_storage(std::int64_t width, std::int64_t height) {
  Storage image{Layout::R(), true, height, 4 * width, 0, 0};
  image.elements = 4 * image.image_width() * image.image_height();
  return image;
}

// A pool whose memory is only counted; it fails as often as `failures` says.
struct CountedPool {
  std::vector<TemporaryExtents> made;
  cl_int code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  int failures = 0;
  int attempts = 0;
  TemporaryPool pool;

  explicit CountedPool(std::size_t max_bytes, std::size_t largest = std::size_t{1} << 31)
      : pool([this](const TemporaryExtents& extents) { return make(extents); }, max_bytes,
             largest) {}

  cl::Memory make(const TemporaryExtents& extents) {
    ++attempts;
    if (failures > 0) {
      --failures;
      check_opencl(code, "clCreateBuffer");
    }
    made.push_back(extents);
    return {};
  }
  // A chain of commands that takes all of these and enqueues nothing.
  void use(const std::vector<Storage>& wanted) {
    const cl::CommandQueue queue;
    TemporaryLease lease(pool, queue);
    for (const Storage& storage : wanted) lease.take(storage);
  }
  void use(std::size_t bytes) { use({buffer_storage(bytes)}); }
};

TEST_CASE("size classes waste at most an eighth, or less than a page") {
  for (std::size_t bytes = 1; bytes < 4 * kMiB; bytes += 1 + bytes / 37) {
    const std::size_t size = temporary_size_class(bytes);
    INFO(bytes << " bytes in " << size);
    CHECK(size >= bytes);
    CHECK(size % 4096 == 0);
    CHECK(size - bytes < std::max<std::size_t>(4096, bytes / 8 + 1));
    CHECK(temporary_size_class(size) == size);
  }
  CHECK(temporary_size_class(0) == 4096);
  CHECK(temporary_size_class(kMiB + 1) == kMiB + kMiB / 8);
}

TEST_CASE("a returned temporary is given out again, also for slightly smaller requests") {
  CountedPool counted(64 * kMiB);
  counted.use(2 * kMiB - 4);
  counted.use(2 * kMiB);
  counted.use(kMiB + kMiB / 4);
  CHECK(counted.made.size() == 1);
  const TemporaryPool::Stats stats = counted.pool.stats();
  CHECK(stats.given == 3);
  CHECK(stats.allocated == 1);
  CHECK(stats.kept == 1);
  CHECK(stats.kept_bytes == 2 * kMiB);
  counted.use(2 * kMiB + 4);  // the first one is too small
  CHECK(counted.made.size() == 2);
  counted.use(kMiB / 2);  // both are too large
  CHECK(counted.made.size() == 3);
}

TEST_CASE("the smallest suitable temporary is taken") {
  CountedPool counted(64 * kMiB);
  counted.use({buffer_storage(3 * kMiB), buffer_storage(2 * kMiB), buffer_storage(4 * kMiB)});
  counted.use({buffer_storage(2 * kMiB), buffer_storage(3 * kMiB), buffer_storage(4 * kMiB)});
  CHECK(counted.made.size() == 3);
}

TEST_CASE("a chain never gets the same temporary twice") {
  CountedPool counted(64 * kMiB);
  for (int i = 0; i < 2; ++i)
    counted.use({buffer_storage(kMiB), buffer_storage(kMiB), image_storage(8, 8)});
  CHECK(counted.made.size() == 3);
  CHECK(counted.pool.stats().kept == 3);
}

TEST_CASE("images are given out only for equal extents") {
  CountedPool counted(64 * kMiB);
  counted.use({image_storage(100, 20)});
  counted.use({image_storage(100, 20)});
  CHECK(counted.made.size() == 1);
  CHECK(counted.made[0].image_width == 100);
  CHECK(counted.made[0].image_height == 20);
  CHECK(counted.pool.stats().kept_bytes == 100 * 20 * 16);
  for (const Storage& other :
       {image_storage(20, 100), image_storage(99, 20), buffer_storage(100 * 20 * 16)}) {
    const std::size_t before = counted.made.size();
    counted.use({other});
    CHECK(counted.made.size() == before + 1);
  }
}

TEST_CASE("the pool stays within its limit by freeing what was not used for the longest time") {
  CountedPool counted(10 * kMiB);
  counted.use({buffer_storage(kMiB), buffer_storage(3 * kMiB), buffer_storage(6 * kMiB)});
  CHECK(counted.pool.stats().kept_bytes == 10 * kMiB);
  counted.use(kMiB);          // now the 3 MiB are the oldest
  counted.use(2 * kMiB + 4);  // takes the 3 MiB, so that the 6 MiB are the oldest
  CHECK(counted.made.size() == 3);
  counted.use(std::size_t{16} << 10);
  CHECK(counted.pool.stats().kept_bytes == 4 * kMiB + (std::size_t{16} << 10));
  counted.use({buffer_storage(kMiB), buffer_storage(3 * kMiB)});
  CHECK(counted.made.size() == 4);
  counted.use(6 * kMiB);
  CHECK(counted.made.size() == 5);
  // A temporary above the limit is not kept and displaces nothing.
  const std::size_t kept = counted.pool.stats().kept_bytes;
  counted.use(11 * kMiB);
  CHECK(counted.pool.stats().kept_bytes == kept);
}

TEST_CASE("a pool with a limit of 0 keeps nothing") {
  CountedPool counted(0);
  counted.use(4096);
  counted.use(4096);
  CHECK(counted.made.size() == 2);
  CHECK(counted.pool.stats().kept == 0);
}

TEST_CASE("the pool keeps a limited number of temporaries, however small") {
  CountedPool counted(64 * kMiB);
  counted.use(std::vector<Storage>(1000, buffer_storage(4)));
  CHECK(counted.pool.stats().kept == 64);
  CHECK(counted.pool.stats().kept_bytes == 64 * 4096);
}

TEST_CASE("no buffer is larger than the device allows") {
  CountedPool counted(64 * kMiB, kMiB + 100);
  counted.use(kMiB + 60);
  counted.use(kMiB + 60);
  REQUIRE(counted.made.size() == 1);
  CHECK(counted.made[0].bytes == kMiB + 60);
}

TEST_CASE("without memory, the pool frees its temporaries and tries the allocation again") {
  for (const cl_int code :
       {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY}) {
    CountedPool counted(64 * kMiB);
    counted.code = code;
    counted.use({buffer_storage(kMiB), image_storage(8, 8)});
    counted.failures = 1;
    counted.use(4 * kMiB);
    CHECK(counted.pool.stats().kept_bytes == 4 * kMiB);
    counted.failures = 2;
    CHECK_THROWS_AS(counted.use(16 * kMiB), Error);
    CHECK(counted.pool.stats().kept == 0);
    counted.failures = 1;  // nothing is left to free, so there is no second attempt
    counted.attempts = 0;
    CHECK_THROWS_AS(counted.use(16 * kMiB), Error);
    CHECK(counted.attempts == 1);
  }
  CountedPool other(64 * kMiB);
  other.code = CL_INVALID_BUFFER_SIZE;
  other.use(kMiB);
  other.failures = 1;
  CHECK_THROWS_AS(other.use(4 * kMiB), Error);
  CHECK(other.pool.stats().kept == 1);
}

TEST_CASE("a command that fails for lack of memory is enqueued again after the pool was emptied") {
  CountedPool counted(64 * kMiB);
  int launches = 0;
  const auto refused_with = [&](cl_int code) {
    return launch_with_retry(counted.pool, [&launches, code] {
      ++launches;
      return Launched(KernelError{FailureKind::kLaunch, "refused", code});
    });
  };
  refused_with(CL_MEM_OBJECT_ALLOCATION_FAILURE);
  CHECK(launches == 1);  // nothing is kept
  counted.use(kMiB);
  refused_with(CL_INVALID_KERNEL_ARGS);
  CHECK(launches == 2);
  refused_with(CL_MEM_OBJECT_ALLOCATION_FAILURE);
  CHECK(launches == 4);
  CHECK(counted.pool.stats().kept == 0);
}

}  // namespace
}  // namespace tilewright
