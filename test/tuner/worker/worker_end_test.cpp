// What a worker does when the time that a tuning has is over.
#include <chrono>

#include "catch.hpp"
#include "tuner/worker/device_worker.hpp"
#include "worker_case.hpp"

using namespace tilewright;
using Catch::Matchers::ContainsSubstring;

namespace {

const auto now = std::chrono::steady_clock::now;

MeasureRequest block_of(const std::vector<std::string>& ways) {
  MeasureRequest request = round_of(ways);
  request.one_process = true;
  return request;
}

}  // namespace

TEST_CASE("a launch that is at work when the time is over is ended, and nobody is blamed") {
  const WorkerLog log;
  DeviceWorker worker(
      fake_setup(log));  // whose own deadline is a minute: without the end, too long
  worker.end_by(now());
  CHECK(std::holds_alternative<OutOfTime>(worker.measure(block_of({"ok", "sleep@launch"}))));
  CHECK(log.count("measure") == 1);
  // What there is time for is done, also by the worker that comes after it.
  worker.end_by(std::nullopt);
  const auto again = worker.measure(block_of({"ok", "ok"}));
  CHECK(ns_of(std::get<MeasureReply>(again)).size() == 2);
}

TEST_CASE("a launch that has used up half its deadline when the time is over hangs") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log, "fake", {60.0, 60.0, 1.5 * kGrace_s}));
  worker.end_by(now());
  const auto answer = worker.measure(block_of({"sleep@launch", "ok"}));
  const auto& reply = std::get<MeasureReply>(answer);
  auto failures = failures_of(reply);
  REQUIRE(failures.count(0) == 1);
  CHECK_THAT(failures.at(0), ContainsSubstring("was silent for 1 s"));
  // The other one is not asked for again.
  CHECK(failures.size() == 1);
  CHECK(ns_of(reply).empty());
  CHECK(log.count("measure") == 1);
}

TEST_CASE(
    "a finalist that crashes when the time is over is a failure, and the others are not run") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  worker.end_by(now());
  const auto answer = worker.measure(block_of({"ok", "segv@launch", "ok"}));
  const auto& reply = std::get<MeasureReply>(answer);
  auto failures = failures_of(reply);
  CHECK(failures.size() == 1);
  CHECK(failures.count(1) == 1);
  CHECK(ns_of(reply).empty());
  CHECK(log.count("measure") == 1);
}

TEST_CASE("an end that is far away changes nothing") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log, "fake", {60.0, 60.0, kShort_s}));
  worker.end_by(now() + std::chrono::hours(1));
  const auto answer = worker.measure(round_of({"ok", "sleep@launch", "ok"}));
  const auto& reply = std::get<MeasureReply>(answer);
  auto failures = failures_of(reply);
  REQUIRE(failures.count(1) == 1);
  CHECK_THAT(failures.at(1), ContainsSubstring("was silent for 1 s"));
  CHECK(ns_of(reply).size() == 2);
}

// So of packs, without which a finalist cannot serve.
TEST_CASE("others are asked for even when the time is over, and what hangs is left alone") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  worker.end_by(now());
  const auto answer = worker.measure(round_of({"sleep@first-launch", "ok"}));
  const auto& reply = std::get<MeasureReply>(answer);
  CHECK(ns_of(reply).count(1) == 1);
  CHECK(failures_of(reply).empty());  // it may merely have been late
}

TEST_CASE("kernels that all hang are soon given up when the time is over") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  worker.end_by(now());
  const std::vector<std::string> all(5, "sleep@launch");
  CHECK(std::holds_alternative<OutOfTime>(worker.measure(round_of(all))));
  CHECK(log.count("measure") == 2);
}
