// How many workers compile ahead, and what if the device has no room for them?
#include "tuner/worker/workers.hpp"

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

TEST_CASE("workers open the device, those that compile as far as it has room") {
  {
    const WorkerLog log;
    const Workers workers(fake_setup(log), 3);
    CHECK(workers.compilers().size() == 3);
    CHECK(log.count("hello") == 4);
  }
  const WorkerLog log;
  Workers workers(fake_setup(log, "again-abort"), 2);
  CHECK(workers.compilers().empty());
  CHECK_FALSE(workers.measurer().busy());
  CHECK(workers.facts().identity.name == "fake");
}

}  // namespace
}  // namespace tilewright
