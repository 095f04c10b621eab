// Tests of processes that crash and hang, and of what their supervisor observes. Their requests are
// not repeated.
#include "tuner/process/device_worker.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "catch.hpp"
#include "tuner/process/stop_signal.hpp"
#include "worker_case.hpp"

using namespace tilewright;
using Catch::Matchers::StartsWith;

namespace {

struct Case {
  WorkerLog log;
  DeviceWorker worker;
  explicit Case(const Deadlines& deadlines = kPatient)
      : worker(fake_setup(log, "fake", deadlines), Opening::kNever) {}

  WorkerAnswer run(const std::string& point) {
    return std::get<WorkerAnswer>(worker.run([&] { return trial_message(point); }));
  }
  WorkerLost run_until_lost(const std::string& point) {
    const WorkerAnswer answer = run(point);
    REQUIRE(std::holds_alternative<WorkerLost>(answer));
    return std::get<WorkerLost>(answer);
  }
};

// While this exists, orphaned processes become children of this process, so that their end can be
// observed.
struct AdoptsOrphans {
  AdoptsOrphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~AdoptsOrphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }
};

void wait_for(const WorkerLog& log, const std::string& line) {
  while (log.count(line) == 0) std::this_thread::yield();
}

// Waits for the end of a process and returns the signal that ended it.
int ending_signal(pid_t pid) {
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid) return -1;
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("a worker answers one request after the other") {
  Case c;
  for (const std::string point : {"ok", "noise@launch", "ok"}) {
    const WorkerAnswer answer = c.run(point);
    REQUIRE(std::holds_alternative<nlohmann::json>(answer));
    CHECK(std::get<nlohmann::json>(answer)["outcomes"][0]["point"] == point);
  }
  CHECK(c.log.count("start") == 1);
}

TEST_CASE(
    "a worker waits before a candidate's first build and first launch until it may continue") {
  Case c;
  std::vector<std::string> seen;
  c.worker.on_activity = [&](const WorkerActivity& activity) {
    const std::string what = activity.kind == WorkerActivityKind::kBuild ? "build " : "launch ";
    CHECK(c.log.count(what + activity.what) == 0);
    seen.push_back(what + activity.what);
  };
  c.run("ok");
  CHECK(seen == std::vector<std::string>{"build ok", "launch ok"});
  CHECK(c.log.count("launch ok") == 3);
}

TEST_CASE("how a worker died is reported with its last announcement") {
  struct Death {
    const char* point;
    WorkerActivityKind kind;
    const char* how;
  };
  const Death death = GENERATE(
      Death{"segv@build", WorkerActivityKind::kBuild, "died of SIGSEGV"},
      Death{"segv@launch", WorkerActivityKind::kLaunch, "died of SIGSEGV"},
      Death{"abort@build", WorkerActivityKind::kBuild, "died of SIGABRT"},
      Death{"exit@launch", WorkerActivityKind::kLaunch, "exited with 3"},
      Death{"exit@start", WorkerActivityKind::kStart, "exited with 3"},
      Death{"half@launch", WorkerActivityKind::kLaunch, "exited with 0"},
      Death{"garbage@build", WorkerActivityKind::kBuild,
            "sent an unknown message: 'Segmentation fault'"},
      Death{"list@build", WorkerActivityKind::kBuild, "sent an unknown message: '[1, 2]'"},
      Death{"broken-activity@build", WorkerActivityKind::kBuild, "sent an unknown message"});
  CAPTURE(death.point);
  Case c;
  const WorkerLost lost = c.run_until_lost(death.point);
  CHECK_FALSE(lost.overstayed);
  CHECK(lost.activity.kind == death.kind);
  CHECK_THAT(lost.how, StartsWith(death.how));
  CHECK(c.worker.pid() == -1);
  CHECK_FALSE(has_children());
}

TEST_CASE("the end of a worker's standard error is kept, however long it was") {
  Case c;
  CHECK(c.run_until_lost("abort@build").last_words == "driver: assertion failed\n");
  Case flooded;
  const WorkerLost lost = flooded.run_until_lost("flood-abort@build");
  CHECK(lost.how == "died of SIGABRT");
  CHECK(lost.last_words.size() == 4096);
  CHECK(lost.last_words.substr(4096 - 8) == "the end\n");
}

TEST_CASE("a worker that hangs is killed after the deadline of its announcement") {
  const std::string how = GENERATE("sleep", "spin", "half-sleep");
  const bool building = GENERATE(true, false);
  CAPTURE(how, building);
  Deadlines deadlines = kPatient;
  (building ? deadlines.build_s : deadlines.launch_s) = kShort_s;
  Case c(deadlines);
  const WorkerLost lost = c.run_until_lost(how + (building ? "@build" : "@launch"));
  CHECK(lost.overstayed);
  CHECK(lost.activity.kind ==
        (building ? WorkerActivityKind::kBuild : WorkerActivityKind::kLaunch));
  // A launch announces an expected duration of 0.001 s, of which its deadline has ten times.
  CHECK(lost.how == silent_for(building ? kShort_s : kShort_s + 0.01));
  CHECK_FALSE(has_children());
}

TEST_CASE("a worker that hangs before its first announcement has the deadline of a start") {
  Deadlines deadlines = kPatient;
  deadlines.start_s = kShort_s;
  Case c(deadlines);
  const WorkerLost lost = c.run_until_lost("sleep@start");
  CHECK(lost.overstayed);
  CHECK(lost.activity.kind == WorkerActivityKind::kStart);
}

TEST_CASE("a worker that closes its connection but continues to run is lost") {
  Case c;
  CHECK(c.run_until_lost("close@build").how == "closed its connection");
  CHECK_FALSE(has_children());
}

TEST_CASE("a worker that writes much to standard error is not blocked") {
  Case c;
  CHECK(std::holds_alternative<nlohmann::json>(c.run("flood@launch")));
}

TEST_CASE("sending a request to a dead worker raises no signal") {
  Case c;
  c.run("ok");
  ::kill(c.worker.pid(), SIGKILL);
  siginfo_t information;
  ::waitid(P_PID, static_cast<id_t>(c.worker.pid()), &information, WEXITED | WNOWAIT);
  std::signal(SIGPIPE, SIG_DFL);
  // More than the buffer of a socket holds.
  const WorkerLost lost = c.run_until_lost(std::string(std::size_t{4} << 20, 'x'));
  CHECK_THAT(lost.how, StartsWith("died of SIGKILL"));
  CHECK(lost.activity.kind == WorkerActivityKind::kStart);
}

TEST_CASE("a request that is larger than the buffer of a socket arrives whole") {
  Case c;
  const std::string point(std::size_t{4} << 20, 'x');
  const WorkerAnswer answer = c.run(point);
  REQUIRE(std::holds_alternative<nlohmann::json>(answer));
  CHECK((std::get<nlohmann::json>(answer)["outcomes"][0]["point"] == point));
}

TEST_CASE("a program that cannot be started is a system error") {
  WorkerSetup setup;
  setup.program = "/nowhere/at/all";
  CHECK_THROWS_AS(DeviceWorker(setup), std::system_error);
  CHECK_FALSE(has_children());
}

TEST_CASE("processes that a worker has started end with it") {
  const AdoptsOrphans adopts;
  Case c;
  CHECK(c.run_until_lost("child-segv@build").how == "died of SIGSEGV");
  CHECK(ending_signal(c.log.number_after("child")) == SIGKILL);
}

TEST_CASE("neither processes nor descriptors are leaked") {
  const int before = open_descriptors();
  for (int i = 0; i < 50; ++i) {
    Case c;
    if (i % 2 == 0) c.run_until_lost(i % 4 == 0 ? "segv@build" : "garbage@launch");
  }
  CHECK(open_descriptors() == before);
  CHECK_FALSE(has_children());
}

TEST_CASE("a worker dies with its supervisor, even when it is stuck") {
  const std::string point = GENERATE("sleep@launch", "spin@launch");
  CAPTURE(point);
  const AdoptsOrphans adopts;
  const WorkerLog log;
  std::array<int, 2> pipe;
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    DeviceWorker worker(fake_setup(log));
    const int pid = worker.pid();
    if (::write(pipe[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
    worker.trial(trial_request(point));
    ::_exit(1);
  }
  int worker = -1;
  REQUIRE(::read(pipe[0], &worker, sizeof worker) == sizeof worker);
  wait_for(log, "launch " + point);
  ::kill(supervisor, SIGKILL);
  CHECK(ending_signal(supervisor) == SIGKILL);
  CHECK(ending_signal(worker) == SIGKILL);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_CASE("the first signal is a request to stop, and ends all waiting") {
  const StopSignal stop;
  CHECK_FALSE(StopSignal::requested());
  Case c;
  const pid_t worker = c.worker.pid();
  const int signal = GENERATE(SIGINT, SIGTERM);
  std::thread user([&] {
    wait_for(c.log, "build sleep@build");
    ::kill(::getpid(), signal);
  });
  CHECK(::getpgid(worker) == worker);  // Ctrl-C does not reach it
  const auto answer = c.worker.run([] { return trial_message("sleep@build"); });
  user.join();
  CHECK(std::holds_alternative<Stopped>(answer));
  CHECK(StopSignal::requested());
  pollfd waiting = {StopSignal::descriptor(), POLLIN, 0};
  CHECK(::poll(&waiting, 1, 0) == 1);
  CHECK(c.worker.pid() == -1);
}

TEST_CASE("after a StopSignal has been destroyed, another one starts afresh") {
  {
    const StopSignal stop;
    ::raise(SIGINT);
    CHECK(StopSignal::requested());
    CHECK_THROWS_AS(StopSignal(), std::logic_error);
  }
  CHECK(StopSignal::descriptor() == -1);
  const StopSignal stop;
  CHECK_FALSE(StopSignal::requested());
}

TEST_CASE("the second signal ends the program at once") {
  const pid_t program = ::fork();
  if (program == 0) {
    const StopSignal stop;
    ::raise(SIGTERM);
    if (!StopSignal::requested()) ::_exit(1);
    ::raise(SIGINT);
    ::_exit(2);
  }
  int status = 0;
  REQUIRE(::waitpid(program, &status, 0) == program);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
}
