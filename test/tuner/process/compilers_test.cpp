// Tests how many workers compile ahead, that they do so at the same time, and how builds end.
#include "tuner/process/compilers.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "catch.hpp"
#include "kernel_ways.hpp"
#include "tuner/process/stop_signal.hpp"
#include "worker_case.hpp"

namespace tilewright {
namespace {

const double kLong_s = 60.0 * patience();  // within which all builds end that do not hang

DeviceInfo device_of(DeviceKind kind) {
  DeviceInfo device;
  device.kind = kind;
  return device;
}

void wait_for(const WorkerLog& log, const std::string& line, int times) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kLong_s);
  while (log.count(line) < times) {
    REQUIRE(std::chrono::steady_clock::now() < end);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

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
    CHECK(Compilers(setup, worker.facts(), 3).size() == 3);
    CHECK(log.count("hello") == 4);
  }
  const WorkerLog log;
  WorkerSetup setup = fake_setup(log, "again-abort");
  DeviceWorker worker(setup);
  CHECK(Compilers(setup, worker.facts(), 2).size() == 0);
  CHECK(worker.facts().identity.name == "fake");
  setup.cache_dir.clear();  // without a cache there is no use for binaries
  CHECK(Compilers(setup, worker.facts(), 2).size() == 0);
  CHECK(log.count("start") == 3);
}

TEST_CASE("several kernels are built at the same time, and each has an outcome") {
  const WorkerLog log;
  Compilers compilers(fake_setup(log), device_of(DeviceKind::kGpu), 3);
  std::mutex mutex;
  std::set<std::string> announced;
  std::set<int> built;
  compilers.on_activity = [&](const WorkerActivity& activity) {
    const std::lock_guard lock(mutex);
    announced.insert(activity.what);
  };
  compilers.on_built = [&](const KernelId& kernel) {
    const std::lock_guard lock(mutex);
    built.insert(kernel_number(kernel));
  };
  // While a build hangs, the other compilers build the rest.
  MeasureRequest request;
  for (const auto& kernel :
       round_request({"sleep@build", "ok", "segv@build", "ok", "error@build"}).kernels) {
    request.kernels = {kernel};
    compilers.build(request);
  }
  CHECK(compilers.num_pending() == 5);
  std::map<int, OutcomeClass> results;
  for (int i = 0; i < 4; ++i) {
    const std::optional<Outcome> outcome = compilers.next(kLong_s);
    REQUIRE(outcome);
    results[kernel_number(outcome->kernel)] = outcome->result;
  }
  CHECK(results == std::map<int, OutcomeClass>{{1, OutcomeClass::kOk},
                                               {2, OutcomeClass::kBuildCrash},
                                               {3, OutcomeClass::kOk},
                                               {4, OutcomeClass::kBuild}});
  wait_for(log, "build sleep@build", 1);
  CHECK(compilers.num_pending() == 1);
  CHECK_FALSE(compilers.next(0.0));
  compilers.cancel();
  CHECK(compilers.num_pending() == 0);
  CHECK(announced.size() == 5);
  CHECK(built == std::set<int>{1, 2, 3, 4});
}

TEST_CASE("on a CPU no kernel may be measured before all builds have ended") {
  const WorkerLog log;
  Compilers compilers(fake_setup(log), device_of(DeviceKind::kCpu), 2);
  CHECK(compilers.takes_turns());
  compilers.build(trial_request("sleep@build"));
  compilers.build(trial_request("ok"));
  wait_for(log, "launch ok", 3);
  compilers.build(trial_request("segv@build"));
  const std::optional<Outcome> failed = compilers.next(kLong_s);
  REQUIRE(failed);
  CHECK(failed->result == OutcomeClass::kBuildCrash);
  CHECK_FALSE(compilers.next(0.1));
  compilers.cancel();
  compilers.build(trial_request("ok"));
  compilers.build(trial_request("ok"));
  CHECK(compilers.next(kLong_s));
  CHECK(compilers.num_pending() == 1);
  CHECK(compilers.next(0.0));
}

TEST_CASE("all builds can be ended at once, and others begun after that") {
  const WorkerLog log;
  Compilers compilers(fake_setup(log), device_of(DeviceKind::kGpu), 2);
  for (int times = 1; times < 4; ++times) {
    for (int i = 0; i < 5; ++i) compilers.build(trial_request("spin@build"));
    wait_for(log, "build spin@build", 2 * times);
    compilers.cancel();
    CHECK_FALSE(has_children());
    CHECK(compilers.num_pending() == 0);
  }
  CHECK(log.count("build spin@build") == 6);
  compilers.build(trial_request("ok"));
  CHECK(compilers.next(kLong_s));
}

TEST_CASE("a stop ends all builds") {
  const StopSignal stop;
  const WorkerLog log;
  Compilers compilers(fake_setup(log), device_of(DeviceKind::kGpu), 2);
  for (int i = 0; i < 5; ++i) compilers.build(trial_request("sleep@build"));
  std::thread user([&] {
    wait_for(log, "build sleep@build", 2);
    ::kill(::getpid(), SIGINT);
  });
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(compilers.next(kLong_s));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::duration<double>(kLong_s / 2.0));
  user.join();
  CHECK(StopSignal::requested());
  compilers.cancel();
  CHECK_FALSE(has_children());
  // A tuning that is stopped while it opens compilers has not begun.
  CHECK_THROWS_AS(Compilers(fake_setup(log), device_of(DeviceKind::kGpu), 2), StoppedBeforeWork);
}

TEST_CASE("an exception of a thread is thrown by the call that waits") {
  const WorkerLog log;
  SECTION("the device is lost") {
    Compilers compilers(fake_setup(log, "health-segv"), device_of(DeviceKind::kGpu), 2);
    for (int i = 0; i < 4; ++i) compilers.build(trial_request("segv@build"));
    const auto take_all = [&] {
      while (compilers.next(kLong_s)) {
      }
    };
    CHECK_THROWS_AS(take_all(), DeviceLost);
  }
  SECTION("the journal cannot be written") {
    Compilers compilers(fake_setup(log), device_of(DeviceKind::kGpu), 2);
    compilers.on_activity = [](const WorkerActivity&) { throw std::runtime_error("disk full"); };
    compilers.build(trial_request("ok"));
    CHECK_THROWS_WITH(compilers.next(kLong_s), "disk full");
    CHECK(log.count("build ok") == 0);
  }
}

}  // namespace
}  // namespace tilewright
