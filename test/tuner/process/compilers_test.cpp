// Tests how many workers compile ahead, and what happens if the device cannot hold that many.
#include "tuner/process/compilers.hpp"

#include "catch.hpp"
#include "worker_case.hpp"

namespace tilewright {
namespace {

TEST_CASE("by default all cores but one compile for a GPU, and all cores for a CPU") {
  CHECK(compilers_for(DeviceKind::kGpu, 1) == 0);
  CHECK(compilers_for(DeviceKind::kGpu, 2) == 1);
  CHECK(compilers_for(DeviceKind::kGpu, 8) == 7);
  CHECK(compilers_for(DeviceKind::kGpu, 128) == 16);
  CHECK(compilers_for(DeviceKind::kCpu, 1) == 0);  // it would only compile everything twice
  CHECK(compilers_for(DeviceKind::kCpu, 2) == 2);
  CHECK(compilers_for(DeviceKind::kCpu, 12) == 12);
}

TEST_CASE("there are as many compilers as can open the device") {
  {
    const WorkerLog log;
    const WorkerSetup setup = fake_setup(log);
    const DeviceWorker worker(setup);
    CHECK(open_compilers(setup, worker.facts(), 3).size() == 3);
    CHECK(log.count("hello") == 4);
  }
  const WorkerLog log;
  WorkerSetup setup = fake_setup(log, "again-abort");
  DeviceWorker worker(setup);
  CHECK(open_compilers(setup, worker.facts(), 2).empty());
  CHECK_FALSE(worker.busy());
  CHECK(worker.facts().identity.name == "fake");
  setup.cache_dir.clear();  // without a cache there is no use for binaries
  CHECK(open_compilers(setup, worker.facts(), 2).empty());
  CHECK(log.count("start") == 3);
}

}  // namespace
}  // namespace tilewright
