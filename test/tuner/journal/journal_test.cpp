// Tests that a journal survives kills and power cuts.
#include "tuner/journal/journal.hpp"

#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "journal/journal_message.hpp"
#include "journal_examples.hpp"
#include "temporary_folder.hpp"
#include "tuner/journal/journal_lines.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace {
int flock_error = 0;  // of the next calls; 0: they lock
}

// Replaces that of the C library, to play a file system without locks.
extern "C" int flock(int descriptor, int operation) noexcept {
  if (flock_error == 0) return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
  errno = flock_error;
  return -1;
}

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string read_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

TEST_CASE("a journal returns all lines that were appended") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.journal.jsonl");
  const JournalHeader header = example_header({kSmall});
  const Outcome first = example_outcome("gemm", "NN", {{kSmall, {100.0, 110.0}}}, 1.5);
  const Outcome again = example_outcome("gemm", "packed", {{kSmall, {100.0}}}, 2.5);
  const Session session{"tilewright tune", "boot", "2026-01-01T00:00:00Z", "driver 1"};
  const Finalists finalists{{parse_kernel("gemm")}, {parse_kernel("gemm")}, 4.0};
  const Outcome round = example_round("gemm", kSmall, 0, 1, 100.0);
  const Outcome pack = example_pack("pack tile_m=4", 0.25);
  DeviceRates rates;
  rates.launch_ns = 5000.0;
  {
    Journal journal = Journal::create(path, header);
    CHECK(journal.path() == path);
    journal.append(format_line(session, 0.25));
    journal.append(format_line(MeasuredRates{rates}, 0.5));
    journal.append(format_line(TrialStarted{"gemm", WorkerActivityKind::kBuild}));
    journal.append(format_line(Outcomes{first}, 1.5));
    journal.append(format_line(Outcomes{again}, 2.5));
    journal.append(format_line(Outcomes{pack}, 3.0));
    journal.append(format_line(Finalists{}, 3.5));
    journal.append(format_line(finalists, 4.0));
    Outcome failed = example_outcome("gemm", kFinals, {}, 0.0);
    failed.result = OutcomeClass::kHang;
    failed.reason = "it died";
    journal.append(format_line(Outcomes{round, failed}, 5.0));
    journal.append(format_line(TuningFinished{}, 6.25));
  }
  const JournalContents contents = read_journal(path);
  CHECK(contents.header == header);
  CHECK(contents.sessions == std::vector{session});
  CHECK(*contents.rates == rates);
  const auto texts = [](const std::vector<Outcome>& outcomes) { return to_line(outcomes); };
  CHECK(texts(contents.outcomes) == texts({first, again}));
  CHECK(contents.outcomes[0].since_s == 0.5);
  CHECK(contents.outcomes[1].since_s == 1.5);
  CHECK(contents.outcomes[1].at_s == 2.5);
  CHECK(texts(contents.packs) == texts({pack}));
  CHECK(contents.finals.kernels == finalists.kernels);
  CHECK(contents.finals.baselines == finalists.baselines);
  CHECK(contents.finals.at_s == 4.0);
  REQUIRE(contents.finals.outcomes.size() == 2);
  CHECK(texts({contents.finals.outcomes[0]}) == texts({round}));
  CHECK(failed_finalists(contents) == FinalFailures{{parse_kernel("gemm"), "hang: it died"}});
  CHECK(contents.spent.all_s == 6.25);
  CHECK(contents.complete);
  CHECK(contents.starts.unfinished().empty());
  CHECK(contents.starts.unfinished_finals().empty());
}

TEST_CASE("a continued journal is not complete, and new finals discard the old outcomes") {
  std::string text = header_line(example_header({kSmall}));
  const std::string finals = format_line(Finalists{{parse_kernel("gemm")}, {}}, 1.0);
  Outcome failed = example_outcome("gemm", kFinals, {}, 0.0);
  failed.result = OutcomeClass::kHang;
  text += finals + format_line(Outcomes{example_round("gemm", kSmall, 0, 0, 9.0), failed}, 2.0);
  text += format_line(TuningFinished{}, 3.0);
  text += format_line(Session{"again", "boot", "", ""}, 3.5);
  CHECK(parse_journal(text, "j").complete);
  CHECK(failed_finalists(parse_journal(text, "j")).size() == 1);
  text += format_line(Finalists{{parse_kernel("gemm")}, {}}, 4.0);
  const JournalContents contents = parse_journal(text, "j");
  CHECK_FALSE(contents.complete);
  CHECK(contents.finals.outcomes.empty());
  CHECK(failed_finalists(contents).empty());
  CHECK(contents.spent.all_s == 4.0);
}

TEST_CASE("an incomplete last line is ignored and removed, wherever it was cut off") {
  const TemporaryFolder folder;
  const std::string path = folder.file("torn");
  const std::string whole =
      header_line(example_header({kSmall})) +
      format_line(Outcomes{example_outcome("gemm", "NN", {{kSmall, {1.0}}}, 1.0)}, 1.0);
  const Outcome last = example_outcome("gemm tile_m=2", "NN", {{kSmall, {2.0}}}, 2.0);
  const std::string line = format_line(Outcomes{last}, 2.0);
  for (std::size_t kept = 0; kept < line.size(); ++kept) {
    INFO(kept);
    write(path, whole + line.substr(0, kept));
    CHECK(read_journal(path).outcomes.size() == 1);
    CHECK(read_content(path).size() == whole.size() + kept);  // reading changes nothing
    JournalContents contents;
    {
      Journal journal = Journal::open(path, contents);
      CHECK(contents.outcomes.size() == 1);
      CHECK(read_content(path) == whole);
      journal.append(format_line(Outcomes{last}, 2.0));
    }
    CHECK(read_content(path) == whole + line);
  }
  CHECK(read_journal(path).outcomes.size() == 2);
}

TEST_CASE("a journal replaces nothing but an incomplete header") {
  const TemporaryFolder folder;
  const std::string path = folder.file("new");
  const JournalHeader header = example_header({kSmall});
  const std::string line = header_line(header);
  CHECK_FALSE(holds_journal(path));
  CHECK_THAT(thrown_message([&] { read_journal(path); }), ContainsSubstring("cannot be opened"));
  for (std::size_t kept = 0; kept < line.size(); ++kept) {
    write(path, line.substr(0, kept));
    CHECK_FALSE(holds_journal(path));
    CHECK_THROWS_AS(read_journal(path), JournalError);
    Journal::create(path, header);
    CHECK(read_content(path) == line);
  }
  CHECK(holds_journal(path));
  CHECK_THAT(thrown_message([&] { Journal::create(path, header); }), ContainsSubstring("exists"));
  write(path, "my notes");
  CHECK(holds_journal(path));  // at least nothing that may be overwritten
  CHECK_THAT(thrown_message([&] { Journal::create(path, header); }), ContainsSubstring("exists"));
  CHECK(read_content(path) == "my notes");
  CHECK_THAT(thrown_message([&] { Journal::create(folder.file("no/folder"), header); }),
             ContainsSubstring("no/folder"));
}

TEST_CASE("a second writer is rejected, a reader is not") {
  const TemporaryFolder folder;
  const std::string path = folder.file("locked");
  JournalContents contents;
  {
    const JournalHeader header = example_header({kSmall});
    const Journal journal = Journal::create(path, header);
    CHECK_THAT(thrown_message([&] { Journal::open(path, contents); }),
               ContainsSubstring("another process") && ContainsSubstring("--journal"));
    CHECK_THAT(thrown_message([&] { Journal::create(path, header); }),
               ContainsSubstring("another process"));
    CHECK(read_journal(path).outcomes.empty());
  }
  CHECK_NOTHROW(Journal::open(path, contents));
}

TEST_CASE("a file system without locks is reported with the option for another file") {
  const TemporaryFolder folder;
  const std::string path = folder.file("remote");
  flock_error = ENOLCK;
  const std::string message =
      thrown_message([&] { Journal::create(path, example_header({kSmall})); });
  flock_error = 0;
  CHECK_THAT(message, ContainsSubstring(path) && ContainsSubstring("cannot lock") &&
                          ContainsSubstring("--journal"));
}

TEST_CASE("a journal is replaced only with its lock, and only if the file is a journal") {
  const TemporaryFolder folder;
  const std::string path = folder.file("fresh");
  const JournalHeader header = example_header({kSmall});
  {
    Journal journal = Journal::replace(path, header);
    journal.append(format_line(TuningFinished{}, 1.0));
    CHECK_THAT(thrown_message([&] { Journal::replace(path, header); }),
               ContainsSubstring("another process"));
    CHECK(read_journal(path).complete);
  }
  Journal::replace(path, header);
  CHECK(read_content(path) == header_line(header));
  write(path, "my notes");
  CHECK_THAT(thrown_message([&] { Journal::replace(path, header); }),
             ContainsSubstring("not a journal"));
  CHECK(read_content(path) == "my notes");
}

}  // namespace
}  // namespace tilewright
