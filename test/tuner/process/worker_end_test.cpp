// Tests what a worker does when the time of a tuning is over.
#include <chrono>

#include "catch.hpp"
#include "tuner/process/device_worker.hpp"
#include "worker_case.hpp"

using namespace tilewright;
using Catch::Matchers::ContainsSubstring;

namespace {

const auto now = std::chrono::steady_clock::now;

MeasureRequest block_request(const std::vector<std::string>& ways) {
  MeasureRequest request = round_request(ways);
  request.one_process = true;
  return request;
}

}  // namespace

TEST_CASE("a launch that is running when the time is over is ended, and no kernel is blamed") {
  const WorkerLog log;
  DeviceWorker worker(
      fake_setup(log));  // Its own deadline is a minute, which would be too long without the end.
  worker.end_by(now());
  CHECK(std::holds_alternative<OutOfTime>(worker.run(block_request({"ok", "sleep@launch"}))));
  CHECK(log.count("measure") == 1);
  // Work for which there is time is done, also by the next worker.
  worker.end_by(std::nullopt);
  const auto again = worker.run(block_request({"ok", "ok"}));
  CHECK(measured_ns(std::get<Outcomes>(again)).size() == 2);
}

TEST_CASE("a launch that has used half its deadline when the time is over counts as a hang") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log, "fake", {60.0, 60.0, 1.5 * kGrace_s}));
  worker.end_by(now());
  const auto answer = worker.run(block_request({"sleep@launch", "ok"}));
  const auto& outcomes = std::get<Outcomes>(answer);
  auto failures = failure_reasons(outcomes);
  REQUIRE(failures.count(0) == 1);
  CHECK_THAT(failures.at(0), ContainsSubstring("was silent for 1 s"));
  // The other kernel is not requested again.
  CHECK(failures.size() == 1);
  CHECK(measured_ns(outcomes).empty());
  CHECK(log.count("measure") == 1);
}

TEST_CASE(
    "a finalist that crashes when the time is over is a failure, and the others are not run") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  worker.end_by(now());
  const auto answer = worker.run(block_request({"ok", "segv@launch", "ok"}));
  const auto& outcomes = std::get<Outcomes>(answer);
  auto failures = failure_reasons(outcomes);
  CHECK(failures.size() == 1);
  CHECK(failures.count(1) == 1);
  CHECK(measured_ns(outcomes).empty());
  CHECK(log.count("measure") == 1);
}

TEST_CASE("an end in the distant future has no effect") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log, "fake", {60.0, 60.0, kShort_s}));
  worker.end_by(now() + std::chrono::hours(1));
  const auto answer = worker.run(round_request({"ok", "sleep@launch", "ok"}));
  const auto& outcomes = std::get<Outcomes>(answer);
  auto failures = failure_reasons(outcomes);
  REQUIRE(failures.count(1) == 1);
  CHECK_THAT(failures.at(1), ContainsSubstring(silent_for(kShort_s)));
  CHECK(measured_ns(outcomes).size() == 2);
}

// This also holds for pack kernels, which finalists need.
TEST_CASE(
    "the remaining kernels are requested after the end, too, and a hanging one is not blamed") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  worker.end_by(now());
  const auto answer = worker.run(round_request({"sleep@first-launch", "ok"}));
  const auto& outcomes = std::get<Outcomes>(answer);
  CHECK(measured_ns(outcomes).count(1) == 1);
  CHECK(failure_reasons(outcomes).empty());  // it may merely have been late
}

TEST_CASE("kernels that all hang are soon given up when the time is over") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  worker.end_by(now());
  const std::vector<std::string> all(5, "sleep@launch");
  CHECK(std::holds_alternative<OutOfTime>(worker.run(round_request(all))));
  CHECK(log.count("measure") == 2);
}
