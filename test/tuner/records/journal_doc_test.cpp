// Is the example of docs/journal.md true?
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "tuner/records/journal_lines.hpp"

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

TEST_CASE("the documented example is a journal, and what the tuner would write") {
  const std::string text = example();
  const JournalContents journal = parse_journal(text, "journal.md");
  REQUIRE(journal.sessions.size() == 1);
  REQUIRE(journal.outcomes.size() == 2);
  REQUIRE(journal.packs.size() == 1);
  REQUIRE(journal.rounds.size() == 1);
  CHECK(journal.complete);
  CHECK(journal.starts.unfinished().empty());
  const auto started = [&](std::size_t outcome, WorkerActivityKind kind) {
    return line_of({Starting{journal.outcomes[outcome].kernel.text(), kind}});
  };
  CHECK(text ==
        header_line(journal.header) + line_of({journal.sessions[0], 0.0}) +
            line_of({journal.rates.value(), 4.8}) + started(0, WorkerActivityKind::kBuild) +
            started(0, WorkerActivityKind::kLaunch) + line_of({journal.outcomes[0]}) +
            started(1, WorkerActivityKind::kBuild) + line_of({journal.outcomes[1]}) +
            line_of({journal.packs[0], 1500.0}) + line_of({journal.lineup.value(), 1501.0}) +
            line_of({RoundReply{journal.rounds[0], {}}, 1502.25}) + line_of({Complete{}, 1790.5}));
}

}  // namespace
}  // namespace tilewright
