// Tests of the program as a worker, on a device.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <thread>

#include "catch.hpp"
#include "codelets/space/generic_profile.hpp"
#include "profiles/base/usage_error.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"
#include "tuner/bench/benchmark.hpp"
#include "tuner/process/device_worker.hpp"

namespace tilewright {
namespace {

WorkerSetup setup(const std::string& device = "") {
  return {TILEWRIGHT_PROGRAM, device, "", {}, ""};
}

KernelId product() {
  for (const KernelRecord& record : basic_profile().kernels) {
    if (record.role == Role::kGemm) return parse_kernel(record.point);
  }
  return {};
}

MeasureRequest trial_request(const KernelId& kernel) {
  MeasureRequest request;
  request.kernels = {{kernel}};
  request.shapes = {{33, 31, 17}};
  request.best_ns = {std::numeric_limits<double>::infinity()};
  request.options.sample_ns = 1e5;
  return request;
}

TEST_CASE("a worker handles requests on its device, and so does the one that replaces it") {
  DeviceWorker worker(setup());
  CHECK_FALSE(worker.facts().identity.name.empty());
  const KernelId kernel = product();
  std::vector<WorkerActivityKind> kinds;
  worker.on_activity = [&](const WorkerActivity& activity) {
    CHECK(activity.what == kernel.text());
    kinds.push_back(activity.kind);
  };
  const Outcome first = std::get<Outcome>(worker.trial(trial_request(kernel)));
  CHECK(first.result == OutcomeClass::kOk);
  CHECK(first.shapes.size() == 1);
  CHECK(kinds ==
        std::vector<WorkerActivityKind>{WorkerActivityKind::kBuild, WorkerActivityKind::kLaunch});

  ::kill(worker.pid(), SIGKILL);
  const Outcome second = std::get<Outcome>(worker.trial(trial_request(kernel)));
  CHECK(second.result == OutcomeClass::kOk);
}

TEST_CASE("requests that a worker cannot handle do not end a tuning") {
  DeviceWorker worker(setup());
  const KernelId rubbish = parse_kernel("pack from=R8x1C to=C1x8R");  // violates a structural rule
  const Outcome outcome = std::get<Outcome>(worker.trial(trial_request(rubbish)));
  CHECK(outcome.result != OutcomeClass::kOk);
  CHECK(outcome.reason.find("reported") != std::string::npos);
  MeasureRequest build;
  build.kernels = {{product()}};
  build.verify = false;
  CHECK(std::get<Outcome>(worker.trial(build)).result == OutcomeClass::kOk);
}

// A former error: the validation of a tuning filled the cache of applications.
TEST_CASE("a worker with a cache folder also keeps the kernels of whole calls there") {
  const TemporaryFolder folder;
  const std::string own = folder.file("own");
  const std::string tuning = folder.file("tuning");
  const ScopedVariable cache("TILEWRIGHT_CACHE", own.c_str());
  WorkerSetup with_cache = setup();
  with_cache.cache_dir = tuning;
  std::optional<DeviceWorker> worker(with_cache);
  BenchRequest request;
  request.profile = "builtin";
  request.shape = {33, 31, 17};
  request.seconds = 0.001;
  BenchReport report;
  run_benchmark(*worker, {request}, report, [](const BenchReport&) {});
  CHECK(report.results.size() == 1);
  // Where drivers compile at the first launch, the library stores kernels when it is closed.
  worker.reset();
  for (int i = 0; i < 1000 && !std::filesystem::exists(tuning); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(std::filesystem::exists(tuning));
  CHECK_FALSE(std::filesystem::exists(own));
}

TEST_CASE("a worker for an unknown device is a usage error with a list of the known devices") {
  CHECK_THROWS_AS(DeviceWorker(setup("no-such-device")), UsageError);
  CHECK_THROWS_WITH(DeviceWorker(setup("99")), Catch::Matchers::ContainsSubstring("no device 99"));
}

}  // namespace
}  // namespace tilewright
