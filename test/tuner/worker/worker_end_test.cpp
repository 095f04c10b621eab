// What a worker does when the time that a tuning has is over.
#include <chrono>

#include "catch.hpp"
#include "kernel_ways.hpp"
#include "tuner/worker/device_worker.hpp"
#include "worker_case.hpp"

using namespace tilewright;
using Catch::Matchers::Contains;

namespace {

const auto now = std::chrono::steady_clock::now;

RoundRequest round_of(const std::vector<std::string>& ways) {
  RoundRequest request;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    request.lineup.finalists.push_back(kernel_that(ways[i]));
    request.runs.push_back(i);
  }
  request.shape = {64, 32, 16};
  return request;
}

PackRequest pack_of(const std::string& way) {
  PackRequest request;
  request.demand = kernel_that(way).point();
  return request;
}

}  // namespace

TEST_CASE("a launch that is at work when the time is over is ended, and nobody is blamed") {
  const WorkerLog log;
  DeviceWorker worker(
      fake_setup(log));  // whose own deadline is a minute: without the end, too long
  worker.end_by(now());
  CHECK(std::holds_alternative<OutOfTime>(worker.round(round_of({"ok", "sleep@launch"}))));
  CHECK(log.count("round") == 1);
  // What there is time for is done, also by the worker that comes after it.
  worker.end_by(std::nullopt);
  const auto again = worker.round(round_of({"ok", "ok"}));
  CHECK(std::get<RoundReply>(again).round.ns.size() == 2);
}

TEST_CASE("a launch that has used up half its deadline when the time is over hangs") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log, "fake", {60.0, 60.0, 1.5 * kGrace_s}));
  worker.end_by(now());
  const auto answer = worker.round(round_of({"sleep@launch", "ok"}));
  const auto& reply = std::get<RoundReply>(answer);
  REQUIRE(reply.failures.count(0) == 1);
  CHECK_THAT(reply.failures.at(0), Contains("was silent for 1 s"));
  // The other one is not asked for again.
  CHECK(reply.failures.size() == 1);
  CHECK(reply.round.ns.empty());
  CHECK(log.count("round") == 1);
}

TEST_CASE(
    "a finalist that crashes when the time is over is a failure, and the others are not run") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  worker.end_by(now());
  const auto answer = worker.round(round_of({"ok", "segv@launch", "ok"}));
  const auto& reply = std::get<RoundReply>(answer);
  CHECK(reply.failures.size() == 1);
  CHECK(reply.failures.count(1) == 1);
  CHECK(reply.round.ns.empty());
  CHECK(log.count("round") == 1);
}

TEST_CASE("an end that is far away changes nothing") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log, "fake", {60.0, 60.0, kShort_s}));
  worker.end_by(now() + std::chrono::hours(1));
  const auto answer = worker.round(round_of({"ok", "sleep@launch", "ok"}));
  const auto& reply = std::get<RoundReply>(answer);
  REQUIRE(reply.failures.count(1) == 1);
  CHECK_THAT(reply.failures.at(1), Contains("was silent for 1 s"));
  CHECK(reply.round.ns.size() == 2);
}

TEST_CASE("a pack kernel is looked for even when the time is over, and who hangs is left alone") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  std::vector<Outcome> lost;
  worker.on_lost_pack = [&](const Outcome& outcome) { lost.push_back(outcome); };
  worker.end_by(now());
  const auto reply = worker.tune_pack(pack_of("sleep@first-start"));
  CHECK(std::get<PackReply>(reply).kernel.text() == kFoundPack);
  CHECK(log.count("without pack") == 1);
  CHECK(lost.empty());  // it may merely have been late
}

TEST_CASE("packs that all hang are soon given up when the time is over") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  worker.end_by(now());
  CHECK(std::get<PackReply>(worker.tune_pack(pack_of("sleep@launch"))).kernel.empty());
  CHECK(log.count("pack") == 2);
}

TEST_CASE("a pack kernel that a worker died of, or hung in, is told of") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log, "fake", {60.0, 60.0, kShort_s}));
  std::vector<Outcome> lost;
  worker.on_lost_pack = [&](const Outcome& outcome) { lost.push_back(outcome); };
  SECTION("died") {
    CHECK(std::get<PackReply>(worker.tune_pack(pack_of("error@first-start"))).kernel.text() ==
          kFoundPack);
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].kernel.text() == "pack");
    CHECK(lost[0].result == OutcomeClass::kLaunch);
    CHECK_THAT(lost[0].reason, Contains("CL_OUT_OF_RESOURCES"));
  }
  SECTION("hung") {
    CHECK(std::get<PackReply>(worker.tune_pack(pack_of("sleep@first-start"))).kernel.text() ==
          kFoundPack);
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].result == OutcomeClass::kHang);
    CHECK_THAT(lost[0].reason, Contains("was silent for 1 s"));
  }
  SECTION("was killed from outside, once") {
    CHECK(std::get<PackReply>(worker.tune_pack(pack_of("kill@first-start"))).kernel.text() ==
          kFoundPack);
    CHECK(lost.empty());
  }
}
