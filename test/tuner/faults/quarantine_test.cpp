// Tests that a candidate that takes the machine down is not tried again.
#include <algorithm>
#include <filesystem>

#include "catch.hpp"
#include "fault_run.hpp"
#include "first_plans.hpp"
#include "run_program.hpp"
#include "small_tuning.hpp"
#include "tuner/journal/journal_lines.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

void tune_with_quarantine(const SmallTuning& tuning) {
  const ProgramResult result = run_program(tuning.command_line());
  INFO(result.error);
  REQUIRE(result.exit_code == 0);
  check_first_plans(read_journal(tuning.journal()), load_profile(tuning.profile()));
}

// Writes the journal of a tuning during which the machine rebooted that often while the candidate
// was running.
void write_journal(const std::string& path, const JournalContents& like, const std::string& point,
                   int reboots) {
  fs::remove(path);
  Journal journal = Journal::create(path, like.header);
  for (int i = 0; i < reboots; ++i) {
    Session session = like.sessions.front();
    session.boot_id = "boot " + std::to_string(i);
    journal.append(format_line(session, 0.0));
    if (i == 0) journal.append(format_line(MeasuredRates{*like.rates}, 1.0));
    journal.append(format_line(TrialStarted{point, WorkerActivityKind::kBuild}));
    journal.append(format_line(TrialStarted{point, WorkerActivityKind::kLaunch}));
  }
}

int starts(const std::string& journal_path, const std::string& point) {
  return lines_by_point(journal_path, "starting")[point];
}

TEST_CASE("a candidate during which the machine rebooted twice is not tried a third time") {
  const Faults faults(kModelTimes);
  tune_with_quarantine(few_points_tuning("like"));
  const JournalContents like = read_journal(few_points_tuning("like").journal());
  REQUIRE(like.rates);
  const std::string culprit = like.outcomes.back().kernel.text();
  for (const int reboots : {1, 2}) {
    INFO(reboots << " reboots");
    const SmallTuning ours = few_points_tuning("reboots" + std::to_string(reboots));
    write_journal(ours.journal(), like, culprit, reboots);
    const int before = starts(ours.journal(), culprit);
    tune_with_quarantine(ours);
    const JournalContents contents = read_journal(ours.journal());
    const auto outcome = std::find_if(contents.outcomes.begin(), contents.outcomes.end(),
                                      [&](const Outcome& o) { return o.kernel.text() == culprit; });
    REQUIRE(outcome != contents.outcomes.end());
    CHECK(lines_by_point(ours.journal(), "outcomes")[culprit] == 1);
    CHECK(contents.outcomes.size() == like.outcomes.size());
    if (reboots == 1) {
      CHECK((outcome->result == OutcomeClass::kOk || outcome->result == OutcomeClass::kSlow));
      CHECK(starts(ours.journal(), culprit) > before);
    } else {
      CHECK(outcome->result == OutcomeClass::kHang);
      CHECK(outcome->task == kQuarantine);
      CHECK_THAT(outcome->reason, ContainsSubstring("2 times"));
      CHECK(starts(ours.journal(), culprit) == before);
    }
  }
}

}  // namespace
}  // namespace tilewright
