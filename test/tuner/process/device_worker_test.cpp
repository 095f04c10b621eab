// Tests what happens after a worker is lost: outcomes, failures, and in the end an error.
#include "tuner/process/device_worker.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>
#include "runtime/call/error.hpp"

#include "catch.hpp"
#include "kernel_ways.hpp"
#include "profiles/base/usage_error.hpp"
#include "tuner/process/stop_signal.hpp"
#include "worker_case.hpp"

using namespace tilewright;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;

namespace {

Outcome make_outcome(DeviceWorker& worker, const std::string& way) {
  const auto result = worker.trial(trial_request(way));
  REQUIRE(std::holds_alternative<Outcome>(result));
  return std::get<Outcome>(result);
}

}  // namespace

TEST_CASE("the outcome of a candidate that works is that of the worker") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  CHECK(worker.facts().identity.name == "fake");
  std::vector<std::string> announced;
  worker.on_activity = [&](const WorkerActivity& activity) { announced.push_back(activity.what); };
  MeasureRequest request = trial_request("ok");
  request.reference = parse_kernel("gemm");
  const auto result = worker.trial(request);
  const Outcome outcome = std::get<Outcome>(result);
  CHECK(outcome.result == OutcomeClass::kOk);
  CHECK(outcome.kernel == request.kernels[0]);
  CHECK(outcome.max_error == 0.25);
  CHECK(outcome.took_s > 0.0);
  // The reference is not announced.
  CHECK(announced == std::vector<std::string>(2, request.kernels[0].text()));
}

TEST_CASE("a candidate that kills the worker gets an outcome, and the next one gets a new worker") {
  struct Expected {
    const char* way;
    OutcomeClass result;
    const char* reason;
    const char* build_log;
  };
  const Expected expected = GENERATE(
      Expected{"segv@build", OutcomeClass::kBuildCrash,
               "the worker died of SIGSEGV while it was building", ""},
      Expected{"abort@build", OutcomeClass::kBuildCrash,
               "the worker died of SIGABRT while it was building", "driver: assertion failed\n"},
      Expected{"exit@build", OutcomeClass::kBuildCrash,
               "the worker exited with 3 while it was building", ""},
      Expected{"segv@launch", OutcomeClass::kLaunch,
               "the worker died of SIGSEGV while it was launching", ""},
      Expected{"abort@launch", OutcomeClass::kLaunch,
               "the worker died of SIGABRT while it was launching; its last output: driver: "
               "assertion failed",
               ""},
      Expected{"half@launch", OutcomeClass::kLaunch,
               "the worker exited with 0 while it was launching", ""},
      Expected{"error@build", OutcomeClass::kBuild,
               "the worker reported an error: clFinish: CL_OUT_OF_RESOURCES while it was building",
               ""},
      Expected{"error@launch", OutcomeClass::kLaunch,
               "the worker reported an error: clFinish: CL_OUT_OF_RESOURCES while it was launching",
               ""},
      Expected{"memory@launch", OutcomeClass::kLaunch,
               "the worker reported an error: the host is out of memory while it was launching",
               ""});
  CAPTURE(expected.way);
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  const Outcome outcome = make_outcome(worker, expected.way);
  CHECK(outcome.kernel == kernel_that(expected.way));
  CHECK(outcome.result == expected.result);
  CHECK(outcome.reason == expected.reason);
  CHECK(outcome.build_log == expected.build_log);
  CHECK(log.count("health") == 0);  // only when it is needed
  CHECK(make_outcome(worker, "ok").result == OutcomeClass::kOk);
  CHECK(log.count("health") == 1);
  CHECK(log.count("start") == 2);
}

TEST_CASE("a candidate in which the worker hangs gets an outcome") {
  const std::string how = GENERATE("sleep", "spin");
  const WorkerLog log;
  SECTION("building") {
    DeviceWorker worker(fake_setup(log, "fake", {60.0, kShort_s, 60.0}));
    const Outcome outcome = make_outcome(worker, how + "@build");
    CHECK(outcome.result == OutcomeClass::kBuildCrash);
    CHECK(outcome.reason == "the worker " + silent_for(kShort_s) + " while it was building");
  }
  SECTION("launching") {
    DeviceWorker worker(fake_setup(log, "fake", {60.0, 60.0, kShort_s}));
    const Outcome outcome = make_outcome(worker, how + "@launch");
    CHECK(outcome.result == OutcomeClass::kHang);
    CHECK_THAT(outcome.reason,
               ContainsSubstring(silent_for(kShort_s + 0.01) + " while it was launching"));
  }
}

TEST_CASE("a loss before any announcement is attributed to the candidate only if it is repeated") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  SECTION("once") {
    const std::string how = GENERATE("segv", "error");
    CHECK(make_outcome(worker, how + "@first-start").result == OutcomeClass::kOk);
    CHECK(log.count("health") == 1);
  }
  SECTION("twice") {
    const Outcome outcome = make_outcome(worker, "segv@start");
    CHECK(outcome.result == OutcomeClass::kBuildCrash);
    CHECK_THAT(outcome.reason, ContainsSubstring("died of SIGSEGV before"));
    CHECK(log.count("measure") == 2);
  }
  SECTION("a worker that died while it was idle") {
    ::kill(worker.pid(), SIGKILL);
    CHECK(make_outcome(worker, "ok").result == OutcomeClass::kOk);
  }
}

TEST_CASE("a worker that cannot start is an error of the environment") {
  const WorkerLog log;
  CHECK_THROWS_AS(DeviceWorker(fake_setup(log, "first-usage")), UsageError);
  CHECK_THROWS_AS(DeviceWorker(fake_setup(log, "first-error")), Error);
  CHECK_THROWS_WITH(DeviceWorker(fake_setup(log, "first-memory")), "the host is out of memory");
  CHECK_THROWS_WITH(DeviceWorker(fake_setup(log, "first-abort")),
                    "the worker process died of SIGABRT while it opened the device. Its last "
                    "output: 'driver: assertion failed'");
  CHECK_THROWS_WITH(DeviceWorker(fake_setup(log, "first-sleep", {kShort_s, 60.0, 60.0})),
                    "the worker process " + silent_for(kShort_s) + " while it opened the device.");
  CHECK_FALSE(has_children());
}

TEST_CASE("a device that fails three health checks in a row is lost") {
  const std::string device = GENERATE("health-segv", "health-error", "health-exit", "again-segv",
                                      "other", "health-garbage");
  CAPTURE(device);
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log, device));
  // The candidate that caused the first loss is known already.
  CHECK(make_outcome(worker, "segv@launch").result == OutcomeClass::kLaunch);
  try {
    worker.trial(trial_request("ok"));
    FAIL("the device is not lost");
  } catch (const DeviceLost& lost) {
    INFO(lost.what());
    CHECK_THAT(lost.what(), ContainsSubstring("the worker process died of SIGSEGV while it ran " +
                                              kernel_that("segv@launch").text()) &&
                                ContainsSubstring("health check") &&
                                ContainsSubstring("Reboot the board") &&
                                ContainsSubstring("same command"));
  }
  CHECK(log.count("start") == 4);
  CHECK_FALSE(has_children());
}

TEST_CASE("a device that hangs in health checks is lost") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log, "health-sleep", {kShort_s * 3, 60.0, 60.0}));
  make_outcome(worker, "segv@launch");
  CHECK_THROWS_AS(worker.trial(trial_request("ok")), DeviceLost);
}

TEST_CASE("a device that recovers is used again") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log, "health2-segv"));
  make_outcome(worker, "segv@launch");
  CHECK(make_outcome(worker, "ok").result == OutcomeClass::kOk);
  CHECK(log.count("start") == 4);
  // The count of failures starts again at zero.
  make_outcome(worker, "segv@launch");
  CHECK(make_outcome(worker, "ok").result == OutcomeClass::kOk);
}

TEST_CASE("a stop ends the current request and is reported") {
  const StopSignal stop;
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  std::thread user([&] {
    while (log.count("launch spin@launch") == 0) std::this_thread::yield();
    ::kill(::getpid(), SIGINT);
  });
  CHECK(std::holds_alternative<Stopped>(worker.trial(trial_request("spin@launch"))));
  user.join();
  CHECK_FALSE(has_children());
  CHECK(std::holds_alternative<Stopped>(worker.run(round_request({"ok", "ok"}))));
  CHECK(std::holds_alternative<Stopped>(worker.measure_rates(1.0)));
}

TEST_CASE("a candidate that is given up has no outcome, and the next one gets a new worker") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  CHECK(std::holds_alternative<Stopped>(worker.trial(trial_request("sleep@launch"), soon)));
  CHECK_FALSE(has_children());
  CHECK(make_outcome(worker, "ok").result == OutcomeClass::kOk);
}

TEST_CASE("a kernel that kills the worker gets an outcome, and the remaining ones are measured") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  const MeasureRequest request =
      round_request({"ok", "segv@launch", "cannot", "ok", "error@launch"});
  const Outcomes outcomes = measured(worker, request);
  CHECK(worker.lost_process());
  CHECK(measured_ns(outcomes) == std::map<std::size_t, double>{{0, 100.0}, {3, 400.0}});
  auto failures = failure_reasons(outcomes);
  REQUIRE(failures.size() == 3);
  CHECK_THAT(failures[1], ContainsSubstring("launch: the worker died of SIGSEGV"));
  CHECK(failures[2] == "limits: cannot");
  CHECK_THAT(failures[4], ContainsSubstring("CL_OUT_OF_RESOURCES"));
  CHECK(log.count("measure") == 3);
  CHECK(measured(worker, round_request({"ok", "ok"})).size() == 2);
  CHECK_FALSE(worker.lost_process());
}

// For example, a block of the finals must be measured by one process.
TEST_CASE("a loss ends a request that must be measured in one process") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  MeasureRequest request = round_request({"ok", "segv@launch", "ok"});
  request.one_process = true;
  const Outcomes outcomes = measured(worker, request);
  CHECK(worker.lost_process());
  CHECK(measured_ns(outcomes).empty());
  CHECK(failure_reasons(outcomes).count(1) == 1);
  CHECK(log.count("measure") == 1);
}

TEST_CASE("a worker that is killed from outside is asked once more") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  SECTION("a candidate that is innocent") {
    CHECK(make_outcome(worker, "kill@first-launch").result == OutcomeClass::kOk);
    CHECK(log.count("start") == 2);
  }
  SECTION("a candidate that is not innocent") {
    const Outcome outcome = make_outcome(worker, "kill@launch");
    CHECK(outcome.result == OutcomeClass::kLaunch);
    CHECK_THAT(outcome.reason, ContainsSubstring("SIGKILL"));
    CHECK(log.count("measure") == 2);
  }
  SECTION("one of several candidates, which is innocent") {
    const Outcomes outcomes = measured(worker, round_request({"ok", "kill@first-launch"}));
    CHECK(measured_ns(outcomes).size() == 2);
    CHECK(worker.lost_process());
  }
  SECTION("one of several candidates, which is not innocent") {
    const Outcomes outcomes = measured(worker, round_request({"ok", "kill@launch"}));
    CHECK(failure_reasons(outcomes).count(1) == 1);
    CHECK(measured_ns(outcomes) == std::map<std::size_t, double>{{0, 100.0}});
    CHECK(log.count("measure") == 3);
  }
}

TEST_CASE("a loss that no kernel caused is followed by a second attempt") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  CHECK(measured(worker, round_request({"segv@start", "ok"})).empty());
  CHECK(log.count("measure") == 2);
}

TEST_CASE("kernels are requested until there are too many losses, and rates twice") {
  const WorkerLog log;
  DeviceWorker worker(fake_setup(log));
  const Outcomes outcomes =
      measured(worker, round_request(std::vector<std::string>(12, "segv@launch")));
  CHECK(failure_reasons(outcomes).size() == 8);
  CHECK(log.count("measure") == 8);
  CHECK(std::get<MeasuredRates>(worker.measure_rates(1.0)).peak_gflops == 7.0);

  const WorkerLog other_log;
  DeviceWorker other(fake_setup(other_log, "segv@rates"));
  CHECK(std::get<MeasuredRates>(other.measure_rates(1.0)) == MeasuredRates{});
}
