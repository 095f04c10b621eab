// Tests kernels from the binary cache on a device: they are the same kernels, and the cache never
// causes a failure.
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <numeric>
#include <vector>

#include "blas_case.hpp"
#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/binary_cache.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSize = 20;

struct Cached {
  std::shared_ptr<BinaryCache> cache;
  Executor executor;
  Cached(const TestDevice& d, const std::string& folder)
      : cache(std::make_shared<BinaryCache>(folder)), executor(d.context, d.device, cache) {}

  std::unique_ptr<LoadedKernel> load(const KernelRecord& record) const {
    Loaded loaded = executor.load(record);
    REQUIRE(std::holds_alternative<std::unique_ptr<LoadedKernel>>(loaded));
    return std::move(std::get<std::unique_ptr<LoadedKernel>>(loaded));
  }
};

// The product of two small matrices of integers; C is poisoned.
std::vector<float> product(const TestDevice& d, const Executor& executor, LoadedKernel& kernel) {
  std::vector<float> a(kSize * kSize);
  std::iota(a.begin(), a.end(), -100.0f);
  const std::size_t bytes = a.size() * sizeof(float);
  const cl::Buffer from(d.context, CL_MEM_COPY_HOST_PTR, bytes, a.data());
  std::vector<float> c(a.size(), std::numeric_limits<float>::quiet_NaN());
  const cl::Buffer to(d.context, CL_MEM_COPY_HOST_PTR, bytes, c.data());
  GemmProblem problem;
  problem.shape = {kSize, kSize, kSize};
  problem.a = problem.b = {from(), 0, kSize};
  problem.c = {to(), 0, kSize};
  const Launched launched = executor.launch(d.queue, kernel, problem, {});
  REQUIRE(std::holds_alternative<cl::Event>(launched));
  REQUIRE(std::get<cl::Event>(launched).wait() == CL_SUCCESS);
  REQUIRE(d.queue.enqueueReadBuffer(to, CL_TRUE, 0, bytes, c.data()) == CL_SUCCESS);
  return c;
}

std::vector<fs::path> files_in(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

// Compiles the record, runs it and stores it in the cache.
std::vector<float> first_run(const TestDevice& d, const std::string& folder,
                             const KernelRecord& record) {
  const Cached cached(d, folder);
  const auto kernel = cached.load(record);
  const auto result = product(d, cached.executor, *kernel);
  cached.executor.store(*kernel);
  cached.executor.store(*kernel);  // a second store has no effect
  CHECK(cached.cache->stats() == BinaryCache::Stats{0, 1, 1});
  return result;
}

TEST_CASE("a kernel from the cache computes the same as the compiled one") {
  const TestDevice d;
  const TemporaryFolder folder;
  const KernelRecord record = emit(gemm_point(Op::kNN));
  const auto expected = first_run(d, folder.path(), record);
  CHECK_FALSE(std::isnan(expected[0]));
  const Cached next(d, folder.path());
  const auto kernel = next.load(record);
  CHECK(product(d, next.executor, *kernel) == expected);
  next.executor.store(*kernel);  // already in the cache
  CHECK(next.cache->stats() == BinaryCache::Stats{1, 0, 0});
  // Other build options give another binary.
  KernelRecord other = record;
  other.build_options += " -cl-mad-enable";
  CHECK(product(d, next.executor, *next.load(other)).size() == expected.size());
  CHECK(next.cache->stats().misses == 1);
}

TEST_CASE("a cache entry that the driver rejects is replaced by compiling the source") {
  const TestDevice d;
  const TemporaryFolder folder;
  const KernelRecord record = emit(gemm_point(Op::kNN));
  const auto expected = first_run(d, folder.path(), record);
  const BinaryKey key{device_binary_key(d.device), record.source, record.build_options};
  BinaryCache(folder.path()).store(key, "this is no program");
  {
    const Cached next(d, folder.path());
    const auto kernel = next.load(record);
    CHECK(product(d, next.executor, *kernel) == expected);
    next.executor.store(*kernel);
    CHECK(next.cache->stats() == BinaryCache::Stats{0, 1, 1});
  }
  const Cached last(d, folder.path());
  CHECK(product(d, last.executor, *last.load(record)) == expected);
  CHECK(last.cache->stats() == BinaryCache::Stats{1, 0, 0});
}

TEST_CASE("if a binary does not contain the kernel, the source is compiled") {
  const TestDevice d;
  const TemporaryFolder folder;
  const KernelRecord record = emit(gemm_point(Op::kNN));
  KernelRecord renamed = record;
  renamed.entry = "renamed";
  const std::string::size_type at = renamed.source.find(" " + record.entry + "(") + 1;
  REQUIRE(at != 0);
  renamed.source.replace(at, record.entry.size(), renamed.entry);
  first_run(d, folder.path(), record);
  std::optional<std::string> binary =
      BinaryCache(folder.path())
          .find({device_binary_key(d.device), record.source, record.build_options});
  REQUIRE(binary);
  BinaryCache(folder.path())
      .store({device_binary_key(d.device), renamed.source, renamed.build_options}, *binary);
  const Cached next(d, folder.path());
  CHECK(next.load(renamed)->record().entry == "renamed");
  CHECK(next.cache->stats().hits == 0);
}

TEST_CASE("a rejected kernel is not cached") {
  const TestDevice d;
  const TemporaryFolder folder;
  KernelRecord record = emit(gemm_point(Op::kNN));
  record.source = "__kernel void broken(__global float *x) { this_is_not_declared; }";
  const Cached cached(d, folder.path());
  CHECK(std::holds_alternative<KernelError>(cached.executor.load(record)));
  record = emit(gemm_point(Op::kNN));
  record.entry = "elsewhere";
  CHECK(std::holds_alternative<KernelError>(cached.executor.load(record)));
  CHECK(cached.cache->stats() == BinaryCache::Stats{0, 2, 0});
  CHECK(files_in(folder.path()).empty());
}

// Identifies the file, which changes with each store.
ino_t file_number(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_ino;
}

TEST_CASE("a library caches its kernels, and the next library uses them") {
  const TestDevice d;
  const TemporaryFolder folder;
  const ScopedVariable variable("TILEWRIGHT_CACHE", folder.path().c_str());
  const BlasCase test(
      {.m = 13, .n = 9, .k = 21, .trans_a = Transpose::kYes, .trans_b = Transpose::kYes}, 0, 0, 1);
  const auto run_case = [&] {
    LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
    const Matrix c = upload(d, test.c);
    const cl::Event done =
        library->gemm(d.queue, test.call, upload(d, test.a), upload(d, test.b), c);
    CHECK(test.wrong(download(d, c, {done})) == "");
  };
  run_case();
  const std::vector<fs::path> files = files_in(folder.path());
  REQUIRE(files.size() == 2);  // packing and the product
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(9);
  std::vector<ino_t> numbers;
  for (const fs::path& file : files) {
    fs::last_write_time(file, long_ago);
    numbers.push_back(file_number(file));
  }
  run_case();
  CHECK(files_in(folder.path()).size() == 2);
  for (std::size_t i = 0; i < files.size(); ++i) {
    CHECK(fs::last_write_time(files[i]) > long_ago);  // it was used
    CHECK(file_number(files[i]) == numbers[i]);       // but not stored again
  }
}

}  // namespace
}  // namespace tilewright
