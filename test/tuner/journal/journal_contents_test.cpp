// Tests that a running tuning and a reader of its journal agree after every line.
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "temporary_folder.hpp"
#include "tuner/journal/journal_lines.hpp"
#include "tuner/journal/records/tuning_json.hpp"
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
  // Appends a line.
  void append_to(TuningJournal& journal);

 private:
  int below(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }
  double seconds() { return rounded(below(1'000'000) / 7e4); }
  std::string point() { return "gemm tile_m=" + std::to_string(1 << below(4)); }
  std::string any_point() { return one_in(3) ? pack() : point(); }
  std::string pack() { return "pack tile_m=" + std::to_string(1 << below(3)); }
  Outcome outcome();
  Finalists finalists();
  Outcomes round(const Finalists& finalists);
  MeasuredRates rates();
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
  if (outcome.result == OutcomeClass::kBuild) {
    outcome.build_log = valid_utf8("warning: \xe9\xff");
  }
  return outcome;
}

Finalists RandomLines::finalists() {
  Finalists finalists;
  for (int i = 0; i <= below(3); ++i) finalists.kernels.push_back(parse_kernel(point()));
  return finalists;
}

Outcomes RandomLines::round(const Finalists& finalists) {
  Outcomes outcomes;
  const int number = below(9);
  for (const KernelId& kernel : finalists.kernels) {
    Outcome& outcome = outcomes.emplace_back(
        example_round(kernel.text(), kReadShape, 0, number, 100.0 + below(50)));
    if (!one_in(5)) continue;
    outcome.shapes.clear();
    outcome.result = OutcomeClass::kHang;
    outcome.reason = "it did not come back";
  }
  return outcomes;
}

MeasuredRates RandomLines::rates() {
  MeasuredRates measured;
  measured.peak_gflops = seconds();
  measured.partial = one_in(2);
  return measured;
}

ValidatedProduct RandomLines::validated() {
  ValidatedProduct product;
  product.shape = kReadShape;
  product.held_out = one_in(2);
  if (one_in(5)) {
    product.failure = "it is too large";
    return product;
  }
  product.call_ns = rounded(seconds() + 1.0);
  product.plans = {example_plan(point(), kReadShape, rounded(seconds() + 1.0), seconds())};
  product.built_in_ns = seconds();
  product.max_times_call = seconds();
  if (one_in(2)) {
    product.other_profile = "shipped.toml";
    product.other_ns = seconds();
  }
  return product;
}

void RandomLines::append_to(TuningJournal& journal) {
  const Finalists& known = journal.contents().finals;
  switch (below(11)) {
    case 0:
      return journal.append(Session{"tune", "boot " + std::to_string(below(3)), "", ""});
    case 1:
      return journal.append(rates());
    case 2:
      return journal.append(Outcomes{example_pack(pack(), rounded(0.25 * (1 + below(9))))});
    case 3:
      return journal.append(finalists());
    case 4:
      return known.kernels.empty() ? journal.append(finalists()) : journal.append(round(known));
    case 5:
      return journal.append(TuningFinished{});
    case 6:
      return journal.append(TrialIdle{any_point()});
    case 7:
      return journal.append(Outcomes{outcome()});
    case 8:
      return journal.append(validated());
    case 9:
      return journal.append_time_spent(kActivities[below(7)]);
    default:
      return journal.append(TrialStarted{
          any_point(), one_in(2) ? WorkerActivityKind::kBuild : WorkerActivityKind::kLaunch});
  }
}

// Returns the contents as a process that opens the journal finds them.
JournalContents as_opened(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse_journal(text, path, nullptr, boot_id());
}

std::unique_ptr<TuningJournal> reopened(const std::string& path) {
  JournalContents contents;
  Journal file = Journal::open(path, contents);
  return std::make_unique<TuningJournal>(std::move(file), std::move(contents), session_clock());
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
      lines.append_to(*record);
      REQUIRE(record->contents() == read_journal(path));
      if (!lines.one_in(12)) continue;
      record.reset();  // releases the lock
      record = reopened(path);
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
  TuningJournal journal(Journal::create(path, contents.header), contents, session_clock());
  Outcome outcome = example_outcome("gemm", "NN", {}, 0.0);
  journal.append(Outcomes{outcome});
  CHECK(journal.find(parse_kernel("gemm")) == &journal.contents().outcomes.front());
  CHECK(&journal.contents().outcomes.front().kernel.facts() == &outcome.kernel.facts());
  CHECK(journal.tried_in("NN") == 1);
}

TEST_CASE("lines with the same kernel share its data") {
  const KernelId first = parse_kernel("gemm tile_m=2");
  const auto again = [&] { return KernelId(first.point()); };
  JournalContents contents;
  Outcome other = example_outcome("gemm", "NN", {}, 2.0);
  other.reference = again();
  apply(Outcomes{example_outcome(first.text(), "NN", {}, 1.0), other}, 1.0, contents);
  apply(Finalists{{again()}, {}}, 3.0, contents);
  CHECK(contents.kernels.size() == 2);
  const KernelRecord* const facts = &contents.outcomes[0].kernel.facts();
  CHECK(&contents.outcomes[1].reference.facts() == facts);
  CHECK(&contents.finals.kernels[0].facts() == facts);
  CHECK(&contents.outcomes[1].kernel.facts() != facts);
}

ValidatedProduct held_out_product() {
  ValidatedProduct product;
  product.held_out = true;
  product.plans = {example_plan("gemm", kReadShape, 1.0)};
  return product;
}

TEST_CASE("what was held out counts until other kernels may be chosen") {
  JournalContents kept;
  apply(held_out_product(), 1.0, kept);
  apply(held_out_product(), 2.0, kept);
  const std::vector<ValidatedProduct> held_out = held_out_products(kept);
  REQUIRE(held_out.size() == 2);
  CHECK(validated_products(kept).empty());
  CHECK(kept.spent.on(kOnValidation) == 2.0);
  CHECK(kept.spent.on(kOnFinals) == 0.0);
  const auto after = [&](const auto& line) {
    JournalContents contents = kept;
    apply(line, 3.0, contents);
    return held_out_products(contents);
  };
  ValidatedProduct other = held_out_product();
  other.held_out = false;
  CHECK(after(other).empty());
  CHECK(after(Outcomes{example_outcome("gemm", "NN", {}, 3.0)}).empty());
  CHECK(after(Outcomes{example_round("gemm", kReadShape, 0, 0, 1.0)}).empty());
  CHECK(after(Finalists{}).empty());
  CHECK(after(Outcomes{example_outcome("gemm bias=n", kFused, {}, 3.0)}) == held_out);
  CHECK(after(Outcomes{example_pack("pack", 1.0)}) == held_out);
  CHECK(after(TuningFinished{}) == held_out);
}

TEST_CASE("a random product without a result is kept with its reason, and changes no choice") {
  ValidatedProduct failed;
  failed.failure = "it is too large";
  JournalContents contents;
  apply(held_out_product(), 1.0, contents);
  apply(failed, 2.0, contents);
  CHECK(contents.products == std::vector<ValidatedProduct>{held_out_product(), failed});
  CHECK(held_out_products(contents).size() == 1);
  CHECK(validated_products(contents).empty());
}

TEST_CASE("a finalist that fails later leaves the finals, unless it is built in") {
  JournalContents contents;
  apply(Outcomes{example_outcome("gemm", kBuiltIn, {}, 1.0)}, 1.0, contents);
  apply(Outcomes{example_outcome("gemm tile_m=2", "NN", {}, 2.0)}, 2.0, contents);
  apply(Finalists{{parse_kernel("gemm"), parse_kernel("gemm tile_m=2")}, {}}, 3.0, contents);
  for (const char* point : {"gemm", "gemm tile_m=2", "gemm tile_m=4"}) {
    Outcome failed = example_outcome(point, kValidating, {}, 4.0);
    failed.result = OutcomeClass::kWrong;
    failed.reason = "1 instead of 2";
    apply(Outcomes{failed}, 4.0, contents);
  }
  CHECK(failed_finalists(contents) ==
        FinalFailures{{parse_kernel("gemm tile_m=2"), "wrong: 1 instead of 2"}});
  CHECK(failed_later(contents.outcomes).size() == 3);
  // What takes the machine down again and again does not run any more, built in or not.
  Outcome killer = example_outcome("gemm", kQuarantine, {}, 5.0);
  killer.result = OutcomeClass::kHang;
  apply(Outcomes{killer}, 5.0, contents);
  CHECK(failed_finalists(contents).size() == 2);
}

TEST_CASE("a plan during which the machine went down on a random product is known") {
  JournalContents contents;
  apply(Session{"", "boot 1", "", ""}, 0.0, contents);
  apply(Outcomes{example_outcome("gemm", "NN", {}, 1.0)}, 1.0, contents);
  const TrialStarted started{parse_kernel("gemm").text(), WorkerActivityKind::kLaunch};
  const auto reboot = [&](const char* boot) {
    apply(started, 0.0, contents);
    apply(Session{"", boot, "", ""}, 0.0, contents);
  };
  reboot("boot 2");
  REQUIRE(contents.starts.unfinished_finals().size() == 1);
  CHECK(contents.starts.unfinished_finals()[0].deaths == 1);
  SECTION("once more") {
    reboot("boot 3");
    CHECK(contents.starts.unfinished_finals()[0].deaths == 2);
  }
  SECTION("not if it then runs") {
    apply(started, 0.0, contents);
    apply(held_out_product(), 2.0, contents);
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
  TuningJournal journal(Journal::create(path, contents.header), contents, [&] { return now_s; });
  now_s = 9.0;
  journal.append_time_spent(kOnCandidates);
  now_s = 9.25;
  journal.append_time_spent(kOnCandidates);  // too short
  now_s = 10.0;
  journal.append(Outcomes{example_pack("pack", 1.0)});
  now_s = 12.0;
  journal.append(Finalists{});
  CHECK(journal.contents().spent.by_activity_s ==
        std::map<std::string, double>{{kOnCandidates, 9.0}, {kOnPacks, 1.0}, {kOnFinals, 2.0}});
  CHECK(read_journal(path) == journal.contents());
}

TEST_CASE("a tuning that is continued in any way is not complete") {
  JournalContents ended;
  apply(TuningFinished{}, 1.0, ended);
  REQUIRE(ended.complete);
  apply(Session{}, 2.0, ended);
  CHECK(ended.complete);
  const auto check = [&](const auto& line, double spent_s = 3.0) {
    JournalContents contents = ended;
    apply(line, 3.0, contents);
    CHECK_FALSE(contents.complete);
    CHECK(contents.spent.all_s == spent_s);
  };
  check(MeasuredRates{});
  // These lines have no time.
  check(TrialStarted{"gemm", WorkerActivityKind::kBuild}, 2.0);
  check(TrialIdle{"gemm"}, 2.0);
  check(Outcomes{example_outcome("gemm", "NN", {}, 0.0)});
  check(Outcomes{example_pack("pack", 1.0)});
  check(Outcomes{example_round("gemm", kReadShape, 0, 0, 1.0)});
  check(Finalists{});
  check(ValidatedProduct{});
  check(TimeSpent{kOnFinals});
}

}  // namespace
}  // namespace tilewright
