// How many workers compile ahead, and what if the device has no room for them?
#include "tuner/process/compilers.hpp"

#include "catch.hpp"
#include "worker_case.hpp"

namespace tilewright {
namespace {

TEST_CASE("all cores but one compile ahead of a GPU, all of a CPU's while it is not measured") {
  CHECK(compilers_for(DeviceKind::kGpu, 1) == 0);
  CHECK(compilers_for(DeviceKind::kGpu, 2) == 1);
  CHECK(compilers_for(DeviceKind::kGpu, 8) == 7);
  CHECK(compilers_for(DeviceKind::kGpu, 128) == 16);
  CHECK(compilers_for(DeviceKind::kCpu, 1) == 0);  // it would only compile twice
  CHECK(compilers_for(DeviceKind::kCpu, 2) == 2);
  CHECK(compilers_for(DeviceKind::kCpu, 12) == 12);
}

TEST_CASE("compilers open the device, as many as it has room for") {
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
  setup.cache_dir.clear();  // nowhere to keep what they compile
  CHECK(open_compilers(setup, worker.facts(), 2).empty());
  CHECK(log.count("start") == 3);
}

}  // namespace
}  // namespace tilewright
