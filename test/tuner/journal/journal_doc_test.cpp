// Tests that the example in docs/journal.md is correct.
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "tuner/journal/journal_lines.hpp"

namespace tilewright {
namespace {

std::string example() {
  std::ifstream file(TILEWRIGHT_DOCS "/journal.md", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string fence = "```jsonl\n";
  const std::size_t begin = text.find(fence);
  REQUIRE(begin != std::string::npos);
  return text.substr(begin + fence.size(), text.find("```\n", begin + 1) - begin - fence.size());
}

TEST_CASE("the documented example is a journal, exactly as the tuner would write it") {
  const std::string text = example();
  const JournalContents journal = parse_journal(text, "journal.md");
  REQUIRE(journal.sessions.size() == 1);
  REQUIRE(journal.outcomes.size() == 2);
  REQUIRE(journal.packs.size() == 1);
  REQUIRE(journal.finals.outcomes.size() == 1);
  CHECK(journal.complete);
  CHECK(journal.starts.unfinished().empty());
  const auto started = [&](std::size_t outcome, WorkerActivityKind kind) {
    return format_line(TrialStarted{journal.outcomes[outcome].kernel.text(), kind});
  };
  const auto written = [](const Outcome& outcome) {
    return format_line(Outcomes{outcome}, outcome.at_s);
  };
  CHECK(text == header_line(journal.header) + format_line(journal.sessions[0], 0.0) +
                    format_line(journal.rates.value(), 4.8) +
                    started(0, WorkerActivityKind::kBuild) +
                    started(0, WorkerActivityKind::kLaunch) + written(journal.outcomes[0]) +
                    started(1, WorkerActivityKind::kBuild) + written(journal.outcomes[1]) +
                    written(journal.packs[0]) + format_line(journal.finals, 1501.0) +
                    written(journal.finals.outcomes[0]) + format_line(TuningFinished{}, 1790.5));
}

}  // namespace
}  // namespace tilewright
