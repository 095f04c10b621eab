// Tests that a running tuning and a reader of its journal agree after every line.
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "temporary_folder.hpp"
#include "tuner/journal/journal_lines.hpp"
#include "tuner/journal/tuning_journal.hpp"

namespace tilewright {
namespace {

constexpr int kJournals = 20;
constexpr int kLines = 60;
const GemmShape kReadShape{64, 64, 64};

// Creates lines of all kinds, in any order that a journal may have.
class RandomLines {
 public:
  explicit RandomLines(std::uint64_t seed) : random_(seed) {}

  bool one_in(int times) { return below(times) == 0; }
  JournalLine::What next(const JournalContents& contents);

 private:
  int below(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }
  double seconds() { return below(1'000'000) / 7e4; }  // with more digits than a journal stores
  std::string point() { return "gemm tile_m=" + std::to_string(1 << below(4)); }
  std::string any_point() { return one_in(3) ? pack() : point(); }
  std::string pack() { return "pack tile_m=" + std::to_string(1 << below(3)); }
  Outcome outcome();
  Lineup lineup();
  Round round(const Lineup& lineup);
  DeviceRates rates();
  ValidatedProduct validated();

  std::mt19937_64 random_;
  int outcomes_ = 0;
};

Outcome RandomLines::outcome() {
  // A task must not have two outcomes of the same point.
  const std::string task = "NN " + std::to_string(outcomes_++);
  Outcome outcome = example_outcome(point(), task, {{kReadShape, {10.0 + below(9)}}}, 0.0);
  outcome.took_s = seconds();
  outcome.result = kOutcomeClasses[static_cast<std::size_t>(below(8))];
  // Messages of drivers need not be UTF-8.
  if (outcome.result == OutcomeClass::kBuild) outcome.build_log = "warning: \xe9\xff";
  return outcome;
}

Lineup RandomLines::lineup() {
  Lineup lineup;
  for (int i = 0; i <= below(3); ++i) lineup.finalists.push_back(parse_kernel(point()));
  return lineup;
}

Round RandomLines::round(const Lineup& lineup) {
  Round round;
  round.shape = kReadShape;
  for (std::size_t i = 0; i < lineup.finalists.size(); ++i) {
    if (one_in(5)) {
      round.failures[i] = "hang: it did not come back";
    } else {
      round.ns[i] = 100.0 + below(50);
    }
  }
  return round;
}

DeviceRates RandomLines::rates() {
  DeviceRates rates;
  rates.peak_gflops = seconds();
  return rates;
}

ValidatedProduct RandomLines::validated() {
  ValidatedProduct product;
  product.shape = kReadShape;
  product.held_out = one_in(2);
  if (one_in(5)) {
    product.failure = "it is too large";
    return product;
  }
  product.call_ns = seconds() + 1.0;
  product.plans = {{parse_kernel(point()), seconds() + 1.0, seconds()}};
  product.built_in_ns = seconds();
  product.plans[0].max_times_first = seconds();
  product.max_times_call = seconds();
  if (one_in(2)) {
    product.other_profile = "shipped.toml";
    product.other_ns = seconds();
  }
  return product;
}

JournalLine::What RandomLines::next(const JournalContents& contents) {
  switch (below(11)) {
    case 0:
      return Session{"tune", "boot " + std::to_string(below(3)), "", ""};
    case 1:
      return rates();
    case 2:
      return example_pack("pack", one_in(2) ? pack() : "", 0.25 * below(9));
    case 3:
      return lineup();
    case 4:
      if (contents.lineup) return round(*contents.lineup);
      return lineup();
    case 5:
      return TuningFinished{};
    case 6:
      return TrialIdle{any_point()};
    case 7:
      return outcome();
    case 8:
      return validated();
    case 9:
      return TimeSpent{kActivities[below(7)]};
    default:
      return TrialStarted{any_point(),
                          one_in(2) ? WorkerActivityKind::kBuild : WorkerActivityKind::kLaunch};
  }
}

// Returns the contents as a process that opens the journal finds them.
JournalContents as_opened(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse_journal(text, path, nullptr, boot_id());
}

TuningJournal reopened(const std::string& path) {
  JournalContents contents;
  Journal journal = Journal::open(path, contents);
  return {std::move(journal), std::move(contents), session_clock()};
}

TEST_CASE("after every line, a tuning has the contents that a reader of its journal finds") {
  const TemporaryFolder folder;
  for (int seed = 0; seed < kJournals; ++seed) {
    const std::string path = folder.file("journal" + std::to_string(seed));
    RandomLines lines(static_cast<std::uint64_t>(seed));
    JournalContents contents;
    contents.header = example_header({kReadShape});
    auto record = std::make_unique<TuningJournal>(Journal::create(path, contents.header), contents,
                                                  [] { return 12.345; });
    for (int i = 0; i < kLines; ++i) {
      INFO("journal " << seed << ", line " << i);
      record->append(lines.next(record->contents()));
      REQUIRE(record->contents() == read_journal(path));
      if (!lines.one_in(12)) continue;
      record.reset();  // releases the lock
      record = std::make_unique<TuningJournal>(reopened(path));
      REQUIRE(record->contents() == as_opened(path));
      record->append(Session{"tune again", boot_id(), "", ""});
      REQUIRE(record->contents() == read_journal(path));
    }
  }
}

TEST_CASE("an outcome is returned as it is stored") {
  const TemporaryFolder folder;
  const std::string path = folder.file("kept");
  JournalContents contents;
  contents.header = example_header({kReadShape});
  TuningJournal record(Journal::create(path, contents.header), contents, session_clock());
  Outcome outcome = example_outcome("gemm", "NN", {}, 0.0);
  outcome.took_s = 1.234567891;
  record.append(outcome);
  CHECK(record.contents().outcomes.back().took_s == 1.23456789);
  CHECK(record.find(parse_kernel("gemm")) == &record.contents().outcomes.front());
  CHECK(&record.contents().outcomes.front().kernel.facts() == &outcome.kernel.facts());
  CHECK(record.tried_in("NN") == 1);
}

TEST_CASE("lines with the same kernel share its data") {
  const KernelId first = parse_kernel("gemm tile_m=2");
  const auto again = [&] { return KernelId(first.point()); };
  JournalContents contents;
  Outcome other = example_outcome("gemm", "NN", {}, 2.0);
  other.reference = again();
  apply({example_outcome(first.text(), "NN", {}, 1.0), 0.0}, contents);
  apply({other, 0.0}, contents);
  apply({Lineup{{again()}, {}, {}}, 3.0}, contents);
  CHECK(contents.kernels.size() == 2);
  const KernelRecord* const facts = &contents.outcomes[0].kernel.facts();
  CHECK(&contents.outcomes[1].reference.facts() == facts);
  CHECK(&contents.lineup->finalists[0].facts() == facts);
  CHECK(&contents.outcomes[1].kernel.facts() != facts);
}

TEST_CASE("what was held out counts until other kernels may be chosen") {
  ValidatedProduct held_out;
  held_out.held_out = true;
  held_out.plans = {{parse_kernel("gemm"), 1.0}};
  JournalContents kept;
  apply({held_out, 1.0}, kept);
  apply({held_out, 2.0}, kept);
  REQUIRE(kept.held_out.size() == 2);
  CHECK(kept.validated.empty());
  CHECK(kept.spent_on_s.at(kOnValidation) == 2.0);
  ValidatedProduct other = held_out;
  other.held_out = false;
  for (const JournalLine::What& what :
       {JournalLine::What(example_outcome("gemm", "NN", {}, 3.0)), JournalLine::What(Lineup{}),
        JournalLine::What(Round{}), JournalLine::What(other)}) {
    JournalContents contents = kept;
    apply({what, 3.0}, contents);
    CHECK(contents.held_out.empty());
  }
  for (const JournalLine::What& what :
       {JournalLine::What(example_outcome("gemm bias=n", kFused, {}, 3.0)),
        JournalLine::What(PackOutcome{}), JournalLine::What(TuningFinished{})}) {
    JournalContents contents = kept;
    apply({what, 3.0}, contents);
    CHECK(contents.held_out == kept.held_out);
  }
}

TEST_CASE("a random product without a result is kept with its reason, and changes no choice") {
  ValidatedProduct held_out;
  held_out.held_out = true;
  held_out.plans = {{parse_kernel("gemm"), 1.0}};
  ValidatedProduct failed;
  failed.failure = "it is too large";
  JournalContents contents;
  apply({held_out, 1.0}, contents);
  apply({failed, 2.0}, contents);
  CHECK(contents.unmeasured == std::vector<ValidatedProduct>{failed});
  CHECK(contents.held_out.size() == 1);
  CHECK(contents.validated.empty());
}

TEST_CASE("a finalist that fails later leaves the finals, unless it is built in") {
  JournalContents contents;
  apply({example_outcome("gemm", kBuiltIn, {}, 1.0), 0.0}, contents);
  apply({example_outcome("gemm tile_m=2", "NN", {}, 2.0), 0.0}, contents);
  apply({Lineup{{parse_kernel("gemm"), parse_kernel("gemm tile_m=2")}, {}, {}}, 3.0}, contents);
  for (const char* point : {"gemm", "gemm tile_m=2", "gemm tile_m=4"}) {
    Outcome failed = example_outcome(point, kValidating, {}, 4.0);
    failed.result = OutcomeClass::kWrong;
    failed.reason = "1 instead of 2";
    apply({failed, 0.0}, contents);
  }
  CHECK(contents.finalist_failures ==
        std::map<std::size_t, std::string>{{1, "wrong: 1 instead of 2"}});
  CHECK(failed_later(contents.outcomes).size() == 3);
  // What takes the machine down again and again does not run any more, built in or not.
  Outcome killer = example_outcome("gemm", kQuarantine, {}, 5.0);
  killer.result = OutcomeClass::kHang;
  apply({killer, 0.0}, contents);
  CHECK(contents.finalist_failures.size() == 2);
}

TEST_CASE("a plan during which the machine went down on a random product is known") {
  JournalContents contents;
  apply({Session{"", "boot 1", "", ""}, 0.0}, contents);
  apply({example_outcome("gemm", "NN", {}, 1.0), 0.0}, contents);
  const TrialStarted started{parse_kernel("gemm").text(), WorkerActivityKind::kLaunch};
  ValidatedProduct product;
  product.plans = {{parse_kernel("gemm"), 1.0}};
  const auto reboot = [&](const char* boot) {
    apply({started, 0.0}, contents);
    apply({Session{"", boot, "", ""}, 0.0}, contents);
  };
  reboot("boot 2");
  REQUIRE(contents.starts.unfinished_finals().size() == 1);
  CHECK(contents.starts.unfinished_finals()[0].deaths == 1);
  SECTION("once more") {
    reboot("boot 3");
    CHECK(contents.starts.unfinished_finals()[0].deaths == 2);
  }
  SECTION("not if it then runs") {
    apply({started, 0.0}, contents);
    apply({product, 2.0}, contents);
    CHECK(contents.starts.unfinished_finals().empty());
  }
}

// A former error: what a search spent on candidates that it gave up counted as time for pack
// kernels.
TEST_CASE("time without a result does not count for the next result") {
  const TemporaryFolder folder;
  double now_s = 0.0;
  JournalContents contents;
  contents.header = example_header({kReadShape});
  const std::string path = folder.file("journal");
  TuningJournal record(Journal::create(path, contents.header), contents, [&] { return now_s; });
  now_s = 9.0;
  record.append_time_spent(kOnCandidates);
  now_s = 9.25;
  record.append_time_spent(kOnCandidates);  // too short
  now_s = 10.0;
  record.append(example_pack("pack", "pack", 1.0));
  now_s = 12.0;
  record.append(Lineup{});
  CHECK(record.contents().spent_on_s ==
        std::map<std::string, double>{{kOnCandidates, 9.0}, {kOnPacks, 1.0}, {kOnFinals, 2.0}});
  CHECK(read_journal(path) == record.contents());
}

TEST_CASE("a tuning that is continued in any way is not complete") {
  JournalContents ended;
  apply({TuningFinished{}, 1.0}, ended);
  REQUIRE(ended.complete);
  apply({Session{}, 2.0}, ended);
  CHECK(ended.complete);
  for (const JournalLine::What& what :
       {JournalLine::What(DeviceRates{}),
        JournalLine::What(TrialStarted{"gemm", WorkerActivityKind::kBuild}),
        JournalLine::What(TrialIdle{"gemm"}), JournalLine::What(Outcome{}),
        JournalLine::What(PackOutcome{}), JournalLine::What(Lineup{}), JournalLine::What(Round{}),
        JournalLine::What(ValidatedProduct{}), JournalLine::What(TimeSpent{kOnFinals})}) {
    INFO(what.index());
    JournalContents contents = ended;
    apply({what, 3.0}, contents);
    CHECK_FALSE(contents.complete);
    CHECK(contents.spent_s == 3.0);
  }
}

}  // namespace
}  // namespace tilewright
