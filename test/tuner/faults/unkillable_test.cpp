// Tests that a tuning survives a driver that crashes, hangs, fails and returns wrong results.
//
//   TILEWRIGHT_TEST_POISON=large   about 200 candidates instead of 30, which takes minutes
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "catch.hpp"
#include "fault_run.hpp"
#include "first_plans.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"
#include "running_program.hpp"
#include "small_tuning.hpp"
#include "tuner/journal/records/slow_down.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

bool is_large() {
  const char* size = std::getenv("TILEWRIGHT_TEST_POISON");
  return size != nullptr && std::string(size) == "large";
}

SmallTuning unkillable_tuning(const std::string& name) {
  SmallTuning tuning;
  tuning.name = name;
  tuning.large_space = is_large();
  return tuning;
}

// The tuning without faults, which is run only once for all tests.
const JournalContents& clean_tuning() {
  static const JournalContents contents = [] {
    const Faults faults(kModelTimes);
    const ProgramResult result = run_program(unkillable_tuning("clean").command_line());
    INFO(result.error);
    REQUIRE(result.exit_code == 0);
    return read_journal(unkillable_tuning("clean").journal());
  }();
  return contents;
}

double log_cost(const Outcome& outcome) {
  double cost = 0.0;
  for (const ShapeSamples& samples : outcome.shapes) cost += std::log(median_ns(samples));
  return cost;
}

// Candidates that can be sacrificed, by name of their kernel: not among the fastest quarter, and
// not the very first, which others are compared with.
struct Victims {
  std::vector<std::string> measured;
  // Dropped as slow anyway, so that faults in their times have no effect.
  std::vector<std::string> dropped;
};

Victims victims() {
  const auto& outcomes = clean_tuning().outcomes;
  std::vector<double> costs;
  for (const Outcome& outcome : outcomes) {
    if (outcome.result == OutcomeClass::kOk) costs.push_back(log_cost(outcome));
  }
  std::sort(costs.begin(), costs.end());
  Victims victims;
  for (std::size_t i = outcomes.size() / 4; i < outcomes.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    if (outcome.result != OutcomeClass::kOk) {
      victims.dropped.push_back(journal_entry_name(outcome));
    } else if (log_cost(outcome) > costs[costs.size() / 4]) {
      victims.measured.push_back(journal_entry_name(outcome));
    }
  }
  return victims;
}

struct Poison {
  const char* fault;
  const char* argument;
  OutcomeClass result;
  bool shows_in_times = false;
};

// The faults, with the expected outcomes of their victims.
constexpr Poison kPoisons[] = {
    {"garbage_times", "", OutcomeClass::kLaunch, true},
    {"slow", "50", OutcomeClass::kSlow, true},
    {"build_failure", "", OutcomeClass::kBuild},
    {"build_crash", "", OutcomeClass::kBuildCrash},
    {"build_hang", "", OutcomeClass::kBuildCrash},
    {"launch_crash", "", OutcomeClass::kLaunch},
    {"launch_hang", "", OutcomeClass::kHang},
    {"launch_spin", "", OutcomeClass::kHang},
    {"out_of_resources", "", OutcomeClass::kLaunch},
    {"wrong_result", "", OutcomeClass::kWrong},
};

struct Poisoned {
  std::string rules = kModelTimes;
  std::map<std::string, OutcomeClass> expected;  // by entry
};

Poisoned poison() {
  // One candidate for each fault, or 5 % of all if there are many. Faults in times come first,
  // because they can use the fewest candidates.
  const std::size_t each = is_large() ? (clean_tuning().outcomes.size() + 19) / 20 : 1;
  Poisoned poisoned;
  auto [measured, dropped] = victims();
  for (const Poison& kind : kPoisons) {
    for (std::size_t i = 0; i < each; ++i) {
      auto& pool = kind.shows_in_times || dropped.empty() ? measured : dropped;
      REQUIRE_FALSE(pool.empty());
      poisoned.rules +=
          std::string(kind.fault) + " entry=" + pool.back() + " " + kind.argument + "\n";
      poisoned.expected[pool.back()] = kind.result;
      pool.pop_back();
    }
  }
  return poisoned;
}

TEST_CASE("poisoned candidates are detected, and the same kernels win", "[shared]") {
  const Poisoned poisoned = poison();
  SmallTuning ours = unkillable_tuning("poisoned");
  ours.deadline = deadline_after(clean_tuning());
  const double begin = seconds_now();
  const Faults faults(poisoned.rules);
  const ProgramResult result = run_program(ours.command_line());
  INFO(poisoned.rules << result.error);
  REQUIRE(result.exit_code == 0);
  const JournalContents contents = read_journal(ours.journal());
  CHECK(contents.complete);
  CHECK(contents.outcomes.size() == clean_tuning().outcomes.size());
  std::size_t found = 0;
  for (const Outcome& outcome : contents.outcomes) {
    INFO(outcome.kernel.text() << ": " << outcome.reason);
    const auto expected = poisoned.expected.find(journal_entry_name(outcome));
    if (expected == poisoned.expected.end()) {
      CHECK((outcome.result == OutcomeClass::kOk || outcome.result == OutcomeClass::kSlow));
    } else {
      ++found;
      CHECK(to_text(outcome.result) == to_text(expected->second));
      CHECK(outcome.reason.empty() == false);
    }
  }
  CHECK(found == poisoned.expected.size());
  CHECK(winners(ours.profile()) == winners(unkillable_tuning("clean").profile()));
  check_first_plans(contents, load_profile(ours.profile()));
  std::cout << found << " of " << contents.outcomes.size()
            << " candidates were poisoned; the tuning took " << seconds_now() - begin << " s\n";
}

TEST_CASE("a kernel that breaks the driver's context does not affect others", "[shared]") {
  const std::string culprit = victims().measured.front();
  const SmallTuning ours = unkillable_tuning("lost");
  const Faults faults(kModelTimes + ("context_lost entry=" + culprit));
  const ProgramResult result = run_program(ours.command_line());
  INFO(result.error);
  REQUIRE(result.exit_code == 0);
  for (const Outcome& outcome : read_journal(ours.journal()).outcomes) {
    INFO(outcome.kernel.text() << ": " << outcome.reason);
    if (journal_entry_name(outcome) == culprit) {
      CHECK(outcome.result == OutcomeClass::kLaunch);
    } else {
      CHECK((outcome.result == OutcomeClass::kOk || outcome.result == OutcomeClass::kSlow));
    }
  }
}

TEST_CASE("a lost device ends the tuning, which continues when the device is back", "[full]") {
  const std::string gone = scratch_folder() + "/gone";
  const SmallTuning ours = unkillable_tuning("gone");
  std::size_t before = 0;
  {
    const Faults faults(kModelTimes +
                        ("device_gone entry=" + victims().measured.front() + " " + gone));
    const ProgramResult result = run_program(ours.command_line());
    INFO(result.error);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.error, ContainsSubstring("eboot") && ContainsSubstring("same command"));
    const JournalContents contents = read_journal(ours.journal());
    CHECK_FALSE(contents.complete);
    before = contents.outcomes.size();
    CHECK(before > 0);
    for (const Outcome& outcome : contents.outcomes) {
      INFO(outcome.kernel.text() << ": " << outcome.reason);
      const bool is_culprit = journal_entry_name(outcome) == victims().measured.front();
      CHECK((is_culprit || outcome.result == OutcomeClass::kOk ||
             outcome.result == OutcomeClass::kSlow));
    }
  }
  REQUIRE(fs::remove(gone));
  const Faults faults(kModelTimes);
  const ProgramResult result = run_program(ours.command_line());
  INFO(result.error);
  CHECK(result.exit_code == 0);
  const JournalContents contents = read_journal(ours.journal());
  CHECK(contents.complete);
  CHECK(contents.sessions.size() == 2);
  CHECK(contents.outcomes.size() == clean_tuning().outcomes.size());
  CHECK(contents.outcomes.size() > before);
}

TEST_CASE("a driver that cannot be opened is an error of the environment") {
  const SmallTuning ours = unkillable_tuning("unopened");
  {
    const Faults faults("context_crash always");
    const ProgramResult result = run_program(ours.command_line());
    INFO(result.error);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.error,
               ContainsSubstring("SIGSEGV") && ContainsSubstring("a crash as ordered"));
    CHECK_FALSE(fs::exists(ours.journal()));
    CHECK_FALSE(fs::exists(ours.profile()));
  }
  const Faults faults("context_failure always");
  const ProgramResult result = run_program(ours.command_line());
  INFO(result.error);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.error, ContainsSubstring("CL_DEVICE_NOT_AVAILABLE"));
  CHECK_FALSE(fs::exists(ours.journal()));
  CHECK_FALSE(fs::exists(ours.profile()));
}

}  // namespace
}  // namespace tilewright
