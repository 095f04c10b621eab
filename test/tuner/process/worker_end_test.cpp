// What a worker does when the time that a tuning has is over.
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

TEST_CASE("a launch that is at work when the time is over is ended, and nobody is blamed") {
  const WorkerLog log;
  DeviceWorker worker(
      fake_setup(log));  // whose own deadline is a minute: without the end, too long
  worker.end_by(now());
  CHECK(std::holds_alternative<OutOfTime>(worker.measure(block_request({"ok", "sleep@launch"}))));
  CHECK(log.count("measure") == 1);
  // What there is time for is done, also by the worker that comes after it.
  worker.end_by(std::nullopt);
  const auto again = worker.measure(block_request({"ok", "ok"}));
  CHECK(measured_ns(std::get<MeasureReply>(again)).size() == 2);
}

TEST_CASE("a launch that has used up half its deadline when the time is over hangs") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log, "fake", {60.0, 60.0, 1.5 * kGrace_s}));
  worker.end_by(now());
  const auto answer = worker.measure(block_request({"sleep@launch", "ok"}));
  const auto& reply = std::get<MeasureReply>(answer);
  auto failures = failure_reasons(reply);
  REQUIRE(failures.count(0) == 1);
  CHECK_THAT(failures.at(0), ContainsSubstring("was silent for 1 s"));
  // The other one is not asked for again.
  CHECK(failures.size() == 1);
  CHECK(measured_ns(reply).empty());
  CHECK(log.count("measure") == 1);
}

TEST_CASE(
    "a finalist that crashes when the time is over is a failure, and the others are not run") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  worker.end_by(now());
  const auto answer = worker.measure(block_request({"ok", "segv@launch", "ok"}));
  const auto& reply = std::get<MeasureReply>(answer);
  auto failures = failure_reasons(reply);
  CHECK(failures.size() == 1);
  CHECK(failures.count(1) == 1);
  CHECK(measured_ns(reply).empty());
  CHECK(log.count("measure") == 1);
}

TEST_CASE("an end that is far away changes nothing") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log, "fake", {60.0, 60.0, kShort_s}));
  worker.end_by(now() + std::chrono::hours(1));
  const auto answer = worker.measure(round_request({"ok", "sleep@launch", "ok"}));
  const auto& reply = std::get<MeasureReply>(answer);
  auto failures = failure_reasons(reply);
  REQUIRE(failures.count(1) == 1);
  CHECK_THAT(failures.at(1), ContainsSubstring("was silent for 1 s"));
  CHECK(measured_ns(reply).size() == 2);
}

// So of packs, without which a finalist cannot serve.
TEST_CASE("others are asked for even when the time is over, and what hangs is left alone") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  worker.end_by(now());
  const auto answer = worker.measure(round_request({"sleep@first-launch", "ok"}));
  const auto& reply = std::get<MeasureReply>(answer);
  CHECK(measured_ns(reply).count(1) == 1);
  CHECK(failure_reasons(reply).empty());  // it may merely have been late
}

TEST_CASE("kernels that all hang are soon given up when the time is over") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  worker.end_by(now());
  const std::vector<std::string> all(5, "sleep@launch");
  CHECK(std::holds_alternative<OutOfTime>(worker.measure(round_request(all))));
  CHECK(log.count("measure") == 2);
}
