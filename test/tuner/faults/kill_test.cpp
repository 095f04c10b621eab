// Tests that a tuning survives kill -9, and that Ctrl-C stops it.
//
//   TILEWRIGHT_TEST_KILLS=50   number of kills, default 5
//   TILEWRIGHT_TEST_SEED=2     determines when they happen
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <thread>

#include "catch.hpp"
#include "fault_run.hpp"
#include "first_plans.hpp"
#include "library_runs.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"
#include "running_program.hpp"
#include "small_tuning.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

constexpr double kPatience_s = 900.0;  // only a tuning that never ends takes this long

int environment_number(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

SmallTuning killed_tuning(const std::string& name) {
  SmallTuning tuning;
  tuning.name = name;
  return tuning;
}

void pause_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// Returns the number of outcomes in a journal that is being written.
std::size_t outcomes_so_far(const SmallTuning& tuning) {
  return fs::exists(tuning.journal()) ? read_journal(tuning.journal()).outcomes.size() : 0;
}

// Returns the number of lines with this text in the present journal.
int lines_with(const SmallTuning& tuning, const std::string& text) {
  int found = 0;
  std::ifstream journal(tuning.journal());
  for (std::string line; std::getline(journal, line);) found += line.find(text) < line.size();
  return found;
}

// Waits until the journal contains this text that many times.
bool wait_for_text(const SmallTuning& tuning, RunningProgram& program, const std::string& text,
                   int times = 1) {
  const double until = seconds_now() + kPatience_s;
  while (program.running() && seconds_now() < until) {
    if (lines_with(tuning, text) >= times) return true;
    pause_s(0.02);
  }
  return false;
}

bool all_end(const std::vector<pid_t>& processes) {
  const double until = seconds_now() + kPatience_s;
  while (std::any_of(processes.begin(), processes.end(), is_alive)) {
    if (seconds_now() > until) return false;
    pause_s(0.01);
  }
  return true;
}

// Runs the tuning and kills it at a random moment: a short time after a random number of lines of
// its journal, or before the first one. Returns true if it was killed before it ended.
bool run_and_kill(const SmallTuning& tuning, std::mt19937& random) {
  enum Target { kSupervisor, kWorkers, kBoth };
  const auto target = static_cast<Target>(random() % 3);
  const int lines = lines_with(tuning, "{") + static_cast<int>(random() % 40);
  const double moment_s = std::uniform_real_distribution<double>(0.0, 0.5)(random);
  RunningProgram program(tuning.arguments());
  wait_for_text(tuning, program, "{", lines);
  if (program.wait(moment_s)) {
    INFO(program.error());
    CHECK(program.exit_code() == 0);
    return false;
  }
  const std::vector<pid_t> workers = program.children();
  if (target != kSupervisor) {
    for (const pid_t worker : workers) ::kill(worker, SIGKILL);
  }
  if (target == kWorkers) {
    // The tuning must continue, unless a worker died while it opened the device.
    if (!workers.empty()) program.wait(1.0);
  }
  program.signal(SIGKILL);
  REQUIRE(program.wait(kPatience_s));
  CHECK(all_end(workers));  // no process is left that holds the device
  return true;
}

// Checks that a journal has reached its end, with each outcome once.
void check_finished(const SmallTuning& tuning) {
  const JournalContents contents = read_journal(tuning.journal());
  CHECK(contents.complete);
  check_first_plans(contents, load_profile(tuning.profile()));
  for (const auto& [point, count] : lines_by_point(tuning.journal(), "outcomes")) {
    INFO(point);
    CHECK(count == 1);
  }
  CHECK(run_program("check " + tuning.profile()).exit_code == 0);
}

// Sends Ctrl-C and waits for the end of the program. Returns the time in seconds.
double stop(RunningProgram& program) {
  const double begin = seconds_now();
  program.signal(SIGINT);
  REQUIRE(program.wait(kPatience_s));
  const double took_s = seconds_now() - begin;
  std::cout << "Ctrl-C took " << took_s << " s\n";
  INFO(program.error());
  CHECK(program.exit_code() == 130);
  return took_s;
}

constexpr const char* kHang = "build_hang entry~sgemm";

void wait_for_hang(const SmallTuning& tuning, RunningProgram& program) {
  REQUIRE(wait_for_text(tuning, program, "\"starting\""));
  pause_s(1.0);
}

TEST_CASE("kill -9 loses nothing but the candidate in progress") {
  const int wanted = environment_number("TILEWRIGHT_TEST_KILLS", 5);
  std::mt19937 random(static_cast<unsigned>(environment_number("TILEWRIGHT_TEST_SEED", 1)));
  SmallTuning ours = killed_tuning("killed");
  int kills = 0;
  int finished = 1;
  std::size_t outcomes = 0;
  for (int run = 0; kills < wanted && run < 2 * wanted; ++run) {
    if (run_and_kill(ours, random)) {
      ++kills;
    } else {
      // It has finished, so it starts again from the beginning.
      check_finished(ours);
      ++finished;
      fs::remove(ours.journal());
      outcomes = 0;
    }
    if (!fs::exists(ours.journal())) continue;
    const std::size_t now = outcomes_so_far(ours);
    INFO("after kill " << kills);
    CHECK(now >= outcomes);
    outcomes = now;
  }
  CHECK(kills == wanted);
  const ProgramResult last = run_program(ours.command_line());
  INFO(last.error);
  REQUIRE(last.exit_code == 0);
  check_finished(ours);
  std::cout << kills << " kills, " << finished << " finished tunings, "
            << lines_by_point(ours.journal(), "outcomes").size() << " outcomes in the last\n";
}

TEST_CASE("Ctrl-C stops a tuning, which can be continued", "[full]") {
  const SmallTuning ours = killed_tuning("stopped");
  std::size_t before = 0;
  {
    RunningProgram program(ours.arguments());
    // The first outcomes are those of built-in kernels, for which no profile is written.
    REQUIRE(wait_for_text(ours, program, "\"task\":\"NN\"", 3));
    const std::vector<pid_t> workers = program.children();
    stop(program);
    CHECK_THAT(program.error(), ContainsSubstring("same command"));
    CHECK(all_end(workers));
    before = outcomes_so_far(ours);
  }
  check_runs_all(ours.profile());  // the profile of the results so far
  CHECK(!load_profile(ours.profile()).provenance.complete);
  const ProgramResult second = run_program(ours.command_line());
  INFO(second.error);
  CHECK(second.exit_code == 0);
  CHECK(outcomes_so_far(ours) > before);
  CHECK(lines_by_point(ours.journal(), "outcomes").size() == outcomes_so_far(ours));
}

SmallTuning hanging_tuning() {
  SmallTuning ours = killed_tuning("hung");
  ours.deadline = "10h";
  return ours;
}

TEST_CASE("Ctrl-C stops a tuning whose kernel hangs") {
  const Faults faults(kHang);
  const SmallTuning ours = hanging_tuning();
  RunningProgram program(ours.arguments());
  wait_for_hang(ours, program);
  stop(program);
}

// The time that users are willing to wait. On a busy machine this test may fail.
TEST_CASE("Ctrl-C ends a tuning within 5 s", "[full]") {
  constexpr double kMax_s = 5.0;
  SECTION("during the search or the finals") {
    const std::string reached = GENERATE("\"outcomes\"", "\"finalists\"");
    INFO(reached);
    const SmallTuning ours = killed_tuning("in_time_" + reached.substr(1, 5));
    RunningProgram program(ours.arguments());
    REQUIRE(wait_for_text(ours, program, reached));
    CHECK(stop(program) < kMax_s);
  }
  SECTION("while a kernel hangs") {
    const Faults faults(kHang);
    const SmallTuning ours = hanging_tuning();
    RunningProgram program(ours.arguments());
    wait_for_hang(ours, program);
    CHECK(stop(program) < kMax_s);
  }
}

TEST_CASE("a second Ctrl-C ends a tuning at once") {
  const SmallTuning ours = killed_tuning("twice");
  RunningProgram program(ours.arguments());
  REQUIRE(wait_for_text(ours, program, "\"outcomes\""));
  const std::vector<pid_t> workers = program.children();
  program.signal(SIGINT);
  program.signal(SIGINT);
  REQUIRE(program.wait(kPatience_s));
  CHECK(program.exit_code() == 130);
  CHECK(all_end(workers));
}

}  // namespace
}  // namespace tilewright
