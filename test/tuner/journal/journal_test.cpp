// Tests that a journal survives kills and power cuts.
#include "tuner/journal/journal.hpp"

#include <chrono>
#include <fstream>
#include <iterator>
#include <limits>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"
#include "tuner/journal/journal_lines.hpp"
#include "tuner/journal/tuning_journal.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

std::string read_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

template <class Action>
std::string thrown_message(const Action& action) {
  try {
    action();
  } catch (const JournalError& error) {
    return error.what();
  }
  return "";
}

const GemmShape kShape{64, 64, 64};

TEST_CASE("a journal returns all lines that were appended") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.journal.jsonl");
  const JournalHeader header = example_header({kShape});
  const Outcome first = example_outcome("gemm", "NN", {{kShape, {100.0, 110.0}}}, 1.5);
  const Outcome again = example_outcome("gemm", "packed", {{kShape, {100.0}}}, 2.5);
  const Session session{"tilewright tune", "boot", "2026-01-01T00:00:00Z", "driver 1"};
  const Lineup lineup{{parse_kernel("gemm")}, {{Op::kNN, 0}}, {0}};
  const Round round{0, 1, kShape, {{0, 100.0}}};
  const PackOutcome pack = example_pack("pack", "pack tile_m=4", 0.25);
  DeviceRates rates;
  rates.launch_ns = 5000.0;
  {
    Journal journal = Journal::create(path, header);
    CHECK(journal.path() == path);
    journal.append(format_line({session, 0.25}));
    journal.append(format_line({rates, 0.5}));
    journal.append(format_line({TrialStarted{"gemm", WorkerActivityKind::kBuild}}));
    journal.append(format_line({first}));
    journal.append(format_line({again}));
    journal.append(format_line({pack, 3.0}));
    journal.append(format_line({Lineup{}, 3.5}));
    journal.append(format_line({lineup, 4.0}));
    Round failed = round;
    failed.failures = {{0, "it died"}};
    journal.append(format_line({failed, 5.0}));
    journal.append(format_line({TuningFinished{}, 6.25}));
  }
  const JournalContents contents = read_journal(path);
  CHECK(contents.header == header);
  CHECK(contents.sessions == std::vector{session});
  CHECK(contents.rates == rates);
  CHECK(contents.outcomes == std::vector{first, again});
  CHECK(contents.outcomes_since_s == std::vector{0.5, 1.5});
  CHECK(contents.packs == std::vector{pack});
  CHECK(contents.lineup == lineup);
  CHECK(contents.lineup_at_s == 4.0);
  CHECK(contents.rounds == std::vector{round});
  CHECK(contents.finalist_failures == std::map<std::size_t, std::string>{{0, "it died"}});
  CHECK(contents.spent_s == 6.25);
  CHECK(contents.complete);
  CHECK(contents.starts.unfinished().empty());
  CHECK(contents.starts.unfinished_finals().empty());
}

TEST_CASE("a continued journal is not complete, and a new line-up discards the old rounds") {
  std::string text = header_line(example_header({kShape}));
  const Lineup lineup{{parse_kernel("gemm")}, {}, {}};
  text += format_line({lineup, 1.0}) +
          format_line({Round{.shape = kShape, .ns = {{0, 9.0}}, .failures = {{0, "x"}}}, 2.0});
  text += format_line({TuningFinished{}, 3.0});
  text += format_line({Session{"again", "boot", "", ""}, 3.5});
  CHECK(parse_journal(text, "j").complete);
  text += format_line({lineup, 4.0});
  const JournalContents contents = parse_journal(text, "j");
  CHECK_FALSE(contents.complete);
  CHECK(contents.rounds.empty());
  CHECK(contents.finalist_failures.empty());
  CHECK(contents.spent_s == 4.0);
}

TEST_CASE("an incomplete last line is ignored and removed, wherever it was cut off") {
  const TemporaryFolder folder;
  const std::string path = folder.file("torn");
  const std::string whole = header_line(example_header({kShape})) +
                            format_line({example_outcome("gemm", "NN", {{kShape, {1.0}}}, 1.0)});
  const Outcome last = example_outcome("gemm tile_m=2", "NN", {{kShape, {2.0}}}, 2.0);
  const std::string line = format_line({last});
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
      journal.append(format_line({last}));
    }
    CHECK(read_content(path) == whole + line);
  }
  CHECK(read_journal(path).outcomes.size() == 2);
}

TEST_CASE(
    "garbage in the last line counts as incomplete, and elsewhere it is an error with its line") {
  const std::string header = header_line(example_header({kShape}));
  const std::string good = format_line({TuningFinished{}, 7.0});
  std::size_t whole = 0;
  CHECK_FALSE(parse_journal(header + "{\"outcome\":{\n", "j", &whole).complete);
  CHECK(whole == header.size());
  CHECK_FALSE(parse_journal(header + std::string(40, '\0'), "j", &whole).complete);
  CHECK(whole == header.size());
  CHECK_THAT(thrown_message([&] { parse_journal(header + "{\"outc\n" + good, "j"); }),
             StartsWith("j:2: "));
  CHECK_THAT(thrown_message([&] { parse_journal(header + good + "{}\n", "j"); }),
             StartsWith("j:3: "));
  CHECK_THAT(thrown_message([&] { parse_journal(header + "{\"outcome\":{\"point\":1}}\n", "j"); }),
             StartsWith("j:2: ") && ContainsSubstring("point"));
  CHECK_THAT(thrown_message([&] { parse_journal("no journal\n", "j"); }), StartsWith("j:1: "));
  CHECK_THAT(thrown_message([&] { parse_journal("{}\n", "j"); }), StartsWith("j:1: "));
  std::string newer = header;
  newer.replace(newer.find("\"format\":1"), 10, "\"format\":3");
  CHECK(thrown_message([&] { parse_journal(newer, "j"); }) ==
        "j:1: the journal has format 3, but this program reads only journal format 1; install "
        "another release of tilewright, or start a new journal (tune --fresh)");
}

TEST_CASE("a second outcome of a candidate and a round without a line-up are errors") {
  const std::string header = header_line(example_header({kShape}));
  const std::string outcome = format_line({example_outcome("gemm", "NN", {}, 1.0)});
  CHECK_THAT(thrown_message([&] { parse_journal(header + outcome + outcome, "j"); }),
             StartsWith("j:3: ") && ContainsSubstring("second outcome"));
  const std::string round = format_line({Round{0, 0, kShape, {{1, 9.0}}}, 2.0});
  CHECK_THAT(thrown_message([&] { parse_journal(header + round, "j"); }),
             ContainsSubstring("lineup"));
  const std::string lineup = format_line({Lineup{{parse_kernel("gemm")}, {}, {}}, 1.0});
  CHECK_THAT(thrown_message([&] { parse_journal(header + lineup + round, "j"); }),
             ContainsSubstring("finalist"));
  const auto energy = [&](std::size_t finalist, double joules) {
    return format_line({Round{.shape = kShape, .joules = {{finalist, joules}}}, 2.0});
  };
  CHECK(parse_journal(header + lineup + energy(0, 0.5), "j").energy_rounds.size() == 1);
  CHECK_THAT(thrown_message([&] { parse_journal(header + lineup + energy(1, 0.5), "j"); }),
             ContainsSubstring("finalist"));
  CHECK_THAT(thrown_message([&] { parse_journal(header + lineup + energy(0, -0.5), "j"); }),
             ContainsSubstring("invalid energy -0.5 J"));
}

TEST_CASE("finalists that are in a later line-up keep their energy") {
  const KernelId a = parse_kernel("gemm tile_m=4 tile_n=4");
  const KernelId b = parse_kernel("gemm tile_m=8 tile_n=4");
  const KernelId c = parse_kernel("gemm tile_m=4 tile_n=8");
  const auto energy = [](const std::map<std::size_t, double>& joules) {
    return format_line({Round{.shape = kShape, .joules = joules}, 2.0});
  };
  const JournalContents contents = parse_journal(
      header_line(example_header({kShape})) + format_line({Lineup{{a, b}, {}, {}}, 1.0}) +
          format_line({Round{0, 0, kShape, {{1, 9.0}}}, 2.0}) + energy({{0, 0.5}, {1, 0.75}}) +
          energy({{0, 0.25}}) + format_line({Lineup{{c, b}, {}, {}}, 3.0}) + energy({{0, 4.0}}),
      "j");
  CHECK(contents.rounds.empty());
  REQUIRE(contents.energy_rounds.size() == 2);
  CHECK(contents.energy_rounds[0].joules == std::map<std::size_t, double>{{1, 0.75}});
  CHECK(contents.energy_rounds[1].joules == std::map<std::size_t, double>{{0, 4.0}});
}

TEST_CASE("a journal replaces nothing but an incomplete header") {
  const TemporaryFolder folder;
  const std::string path = folder.file("new");
  const JournalHeader header = example_header({kShape});
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
    const JournalHeader header = example_header({kShape});
    const Journal journal = Journal::create(path, header);
    CHECK_THAT(thrown_message([&] { Journal::open(path, contents); }),
               ContainsSubstring("another process"));
    CHECK_THAT(thrown_message([&] { Journal::create(path, header); }),
               ContainsSubstring("another process"));
    CHECK(read_journal(path).outcomes.empty());
  }
  CHECK_NOTHROW(Journal::open(path, contents));
}

TEST_CASE("invalid values are errors with their line") {
  const std::string header = header_line(example_header({kShape}));
  const auto error = [&](const std::string& line) {
    return thrown_message([&] {
      parse_journal(header + line + format_line({TuningFinished{}, 9.0}), "j");
    });
  };
  for (const char* point :
       {"grmm", "", "gemm tile_m=x", "gemm tile_m=4 tile_m=4", "health check"}) {
    INFO(point);
    CHECK_THAT(error(format_line({TrialStarted{point, WorkerActivityKind::kBuild}})),
               StartsWith("j:2: ") && ContainsSubstring("point"));
    CHECK_THAT(error(format_line({TrialIdle{point}})),
               StartsWith("j:2: ") && ContainsSubstring("point"));
  }
  CHECK(error(format_line({TrialStarted{kMicroBenchmarks, WorkerActivityKind::kLaunch}}) +
              format_line({TrialIdle{kMicroBenchmarks}})) == "");
  for (const double ns : {0.0, -1.0}) {
    CHECK_THAT(error(format_line({example_outcome("gemm", "NN", {{kShape, {1.0, ns}}}, 1.0)})),
               StartsWith("j:2: ") && ContainsSubstring("a sample has the invalid time"));
  }
  CHECK_THAT(error(format_line({example_outcome("gemm", "NN", {}, -1.0)})),
             ContainsSubstring("at_s is -1"));
  CHECK_THAT(error(format_line({TuningFinished{}, -0.5})),
             StartsWith("j:2: ") && ContainsSubstring("at_s is -0.5"));
  CHECK(error(format_line({TimeSpent{kOnNetworks}, 1.0})) == "");
  CHECK_THAT(error(format_line({TimeSpent{"coffee"}, 1.0})),
             StartsWith("j:2: ") && ContainsSubstring("'coffee' is no activity"));
  const std::string pack = "pack tile_m=4";
  CHECK_THAT(error(format_line({example_outcome("", "NN", {}, 1.0)})), ContainsSubstring("point"));
  std::string wrong = format_line({example_outcome("gemm", "NN", {}, 1.0)});
  wrong.replace(wrong.find("gemm"), 4, "grmm");
  CHECK_THAT(thrown_message([&] { parse_journal(header + wrong + wrong, "j"); }),
             StartsWith("j:2: ") && ContainsSubstring("point: ") && ContainsSubstring("grmm"));
  CHECK_THAT(error(format_line({example_outcome("gemm", "NN", {{kShape, {}}}, 1.0)})),
             StartsWith("j:2: ") && ContainsSubstring("samples"));
  CHECK_THAT(error(format_line({example_pack("gemm", pack, 1.0), 1.0})), ContainsSubstring("pack"));
  CHECK_THAT(error(format_line({example_pack("pack", "gemm", 1.0), 1.0})),
             ContainsSubstring("pack"));
  CHECK(error(format_line({example_pack("pack", "", 0.0), 1.0})) == "");
  CHECK(error(format_line({Lineup{{parse_kernel("gemm")}, {{Op::kNN, 0}}, {0}}, 1.0})) == "");
  CHECK_THAT(error(format_line({Lineup{{parse_kernel("gemm")}, {{Op::kNN, 1}}, {}}, 1.0})),
             StartsWith("j:2: ") && ContainsSubstring("plan"));
  CHECK_THAT(error(format_line({Lineup{{parse_kernel("gemm")}, {}, {0}}, 1.0})),
             ContainsSubstring("baseline"));
  CHECK_THAT(error(format_line({Lineup{{parse_kernel(pack)}, {}, {}}, 1.0})),
             ContainsSubstring("is not a product kernel"));
  ValidatedProduct product;
  product.shape = kShape;
  product.plans = {{parse_kernel("gemm"), 10.0}};
  product.call_ns = 12.0;
  CHECK(error(format_line({product, 1.0})) == "");
  for (double ValidatedProduct::*const time :
       {&ValidatedProduct::built_in_ns, &ValidatedProduct::launch_ns, &ValidatedProduct::other_ns,
        &ValidatedProduct::max_times_call}) {
    for (const double ns : {-1.0, std::numeric_limits<double>::infinity()}) {
      ValidatedProduct wrong_time = product;
      wrong_time.*time = ns;
      CHECK_THAT(error(format_line({wrong_time, 1.0})),
                 StartsWith("j:2: ") && ContainsSubstring("invalid time"));
    }
  }
  product.plans[0].predicted_ns = -1.0;
  CHECK_THAT(error(format_line({product, 1.0})), ContainsSubstring("predicted_ns"));
  product.plans = {{parse_kernel(pack), 10.0}};
  CHECK_THAT(error(format_line({product, 1.0})), ContainsSubstring("is not a product kernel"));
}

TEST_CASE("zeros in the last line are the result of a power cut, whatever follows them") {
  const std::string header = header_line(example_header({kShape}));
  std::string line = format_line({TuningFinished{}, 2.0});
  line.replace(0, 10, std::string(10, '\0'));
  CHECK_FALSE(parse_journal(header + line, "j").complete);
  CHECK_THAT(thrown_message([&] {
               parse_journal(header + line + format_line({TuningFinished{}, 2.0}), "j");
             }),
             StartsWith("j:2: "));
}

TEST_CASE("the shard of a header must be within its number of shards") {
  JournalHeader header = example_header({kShape});
  for (const auto& [shard, shards] :
       std::vector<std::pair<int, int>>{{0, 1}, {2, 1}, {1, 0}, {-1, -1}}) {
    header.shard = shard;
    header.shards = shards;
    CHECK_THAT(thrown_message([&] { parse_journal(header_line(header), "j"); }),
               StartsWith("j:1: ") && ContainsSubstring("shard"));
  }
}

TEST_CASE("a journal contains no path of the home folder in reasons and build logs") {
  const TemporaryFolder folder;
  const std::string path = folder.file("private");
  const ScopedVariable home("HOME", "/home/ann");
  const ScopedVariable sudo("SUDO_UID", nullptr);
  JournalContents contents;
  contents.header = example_header({kShape});
  TuningJournal record(Journal::create(path, contents.header), contents, session_clock());
  Outcome failed = example_outcome("gemm", "NN", {}, 0.0);
  failed.result = OutcomeClass::kBuild;
  failed.reason = "cannot compile /home/ann/x.cl";
  failed.build_log = "/home/ann/x.cl:1: error";
  record.append(failed);
  const Outcome kept = read_journal(path).outcomes.at(0);
  CHECK(kept.reason == "cannot compile ~/x.cl");
  CHECK(kept.build_log == "~/x.cl:1: error");
}

TEST_CASE("a continued tuning keeps the time that it has spent in each task") {
  const TemporaryFolder folder;
  const std::string path = folder.file("spent");
  const auto ago = [](double seconds) { return [seconds] { return seconds; }; };
  const JournalHeader header = example_header({kShape});
  {
    JournalContents contents;
    contents.header = header;
    TuningJournal record(Journal::create(path, header), std::move(contents), ago(1000));
    record.append(DeviceRates{});
    record.append(example_outcome("gemm", "NN", {}, 0.0));
    CHECK(record.spent_in("NN") < 500.0);
    record.append(Lineup{});
    CHECK(record.contents().lineup_at_s >= 1000.0);
    CHECK(read_journal(path).lineup_at_s == Approx(record.contents().lineup_at_s).margin(0.001));
  }
  JournalContents contents;
  Journal journal = Journal::open(path, contents);
  TuningJournal record(std::move(journal), std::move(contents), ago(1000));
  CHECK(record.spent_in("NN") < 500.0);
  record.append(Session{});
  record.append(example_outcome("gemm", "packed", {}, 0.0));
  CHECK(record.spent_in("packed") < 500.0);
  CHECK(read_journal(path).outcomes_since_s[1] >= 2000.0);
}

TEST_CASE("rates are partial until all are measured, and their time is recorded") {
  const TemporaryFolder folder;
  const std::string path = folder.file("partial");
  DeviceRates some;
  some.launch_ns = 5.0;
  double now_s = 3.0;
  {
    JournalContents contents;
    contents.header = example_header({kShape});
    const JournalHeader header = contents.header;
    TuningJournal record(Journal::create(path, header), std::move(contents), [&] { return now_s; });
    record.append(some, true);
    CHECK(record.contents().partial_rates);
    CHECK(record.session_s().at(kOnRates) == 3.0);
  }
  JournalContents contents;
  Journal journal = Journal::open(path, contents);
  CHECK(contents.partial_rates);
  CHECK(*contents.rates == some);
  CHECK(contents.spent_on_s.at(kOnRates) == 3.0);
  TuningJournal record(std::move(journal), std::move(contents), [&] { return now_s; });
  some.peak_gflops = 7.0;
  now_s = 5.0;
  record.append(some);
  CHECK(!record.contents().partial_rates);
  CHECK(record.contents().rates->peak_gflops == 7.0);
  CHECK(record.session_s().at(kOnRates) == 5.0);
  CHECK(record.contents().spent_on_s.at(kOnRates) == 8.0);
  CHECK(read_journal(path) == record.contents());
}

TEST_CASE("rates of a journal that does not say whether they are partial are complete") {
  const std::string text =
      header_line(example_header({kShape})) + format_line({DeviceRates{}, 1.0, false});
  CHECK(text.find("partial") == std::string::npos);
  CHECK(!parse_journal(text, "j").partial_rates);
}

TEST_CASE("a journal is replaced only with its lock, and only if the file is a journal") {
  const TemporaryFolder folder;
  const std::string path = folder.file("fresh");
  const JournalHeader header = example_header({kShape});
  {
    Journal journal = Journal::replace(path, header);
    journal.append(format_line({TuningFinished{}, 1.0}));
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
