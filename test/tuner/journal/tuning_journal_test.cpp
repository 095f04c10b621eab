// Tests what a tuning writes to its journal: private paths, the times of its tasks, partial rates.
#include "tuner/journal/tuning_journal.hpp"

#include "catch.hpp"
#include "journal_examples.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"
#include "tuner/journal/journal_lines.hpp"

namespace tilewright {
namespace {

TEST_CASE("a journal contains no path of the home folder in reasons and build logs") {
  const TemporaryFolder folder;
  const std::string path = folder.file("private");
  const ScopedVariable home("HOME", "/home/ann");
  const ScopedVariable sudo("SUDO_UID", nullptr);
  JournalContents contents;
  contents.header = example_header({kSmall});
  TuningJournal journal(Journal::create(path, contents.header), contents, session_clock());
  Outcome failed = example_outcome("gemm", "NN", {}, 0.0);
  failed.result = OutcomeClass::kBuild;
  failed.reason = "cannot compile /home/ann/x.cl";
  failed.build_log = "/home/ann/x.cl:1: error";
  journal.append(Outcomes{failed});
  const Outcome kept = read_journal(path).outcomes.at(0);
  CHECK(kept.reason == "cannot compile ~/x.cl");
  CHECK(kept.build_log == "~/x.cl:1: error");
}

TEST_CASE("a continued tuning keeps the time that it has spent in each task") {
  const TemporaryFolder folder;
  const std::string path = folder.file("spent");
  const auto ago = [](double seconds) { return [seconds] { return seconds; }; };
  const JournalHeader header = example_header({kSmall});
  {
    JournalContents contents;
    contents.header = header;
    TuningJournal journal(Journal::create(path, header), std::move(contents), ago(1000));
    journal.append(MeasuredRates{});
    journal.append(Outcomes{example_outcome("gemm", "NN", {}, 0.0)});
    CHECK(journal.spent_in("NN") < 500.0);
    journal.append(Finalists{});
    CHECK(journal.contents().finals.at_s >= 1000.0);
    CHECK(read_journal(path).finals.at_s == Approx(journal.contents().finals.at_s).margin(0.001));
  }
  JournalContents contents;
  Journal file = Journal::open(path, contents);
  TuningJournal journal(std::move(file), std::move(contents), ago(1000));
  CHECK(journal.spent_in("NN") < 500.0);
  journal.append(Session{});
  journal.append(Outcomes{example_outcome("gemm", "packed", {}, 0.0)});
  CHECK(journal.spent_in("packed") < 500.0);
  CHECK(read_journal(path).outcomes[1].since_s >= 2000.0);
}

TEST_CASE("rates are partial until all are measured, and their time is recorded") {
  const TemporaryFolder folder;
  const std::string path = folder.file("partial");
  DeviceRates some;
  some.launch_ns = 5.0;
  double now_s = 3.0;
  {
    JournalContents contents;
    contents.header = example_header({kSmall});
    const JournalHeader header = contents.header;
    TuningJournal journal(Journal::create(path, header), std::move(contents),
                          [&] { return now_s; });
    journal.append(MeasuredRates{some, true});
    CHECK(journal.contents().rates->partial);
    CHECK(journal.session_s().at(kOnRates) == 3.0);
  }
  JournalContents contents;
  Journal file = Journal::open(path, contents);
  CHECK(contents.rates->partial);
  CHECK(*contents.rates == some);
  CHECK(contents.spent.on(kOnRates) == 3.0);
  TuningJournal journal(std::move(file), std::move(contents), [&] { return now_s; });
  some.peak_gflops = 7.0;
  now_s = 5.0;
  journal.append(MeasuredRates{some});
  CHECK(!journal.contents().rates->partial);
  CHECK(journal.contents().rates->peak_gflops == 7.0);
  CHECK(journal.session_s().at(kOnRates) == 5.0);
  CHECK(journal.contents().spent.on(kOnRates) == 8.0);
  CHECK(read_journal(path) == journal.contents());
}

TEST_CASE("rates of a journal that does not say whether they are partial are complete") {
  const std::string text =
      header_line(example_header({kSmall})) + format_line(MeasuredRates{}, 1.0);
  CHECK(text.find("partial") == std::string::npos);
  CHECK(!parse_journal(text, "j").rates->partial);
}

}  // namespace
}  // namespace tilewright
