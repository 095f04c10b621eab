// Tests how finals continue from worker to worker, with workers without a device.
#include "tuner/tuning/stages/finals.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "process/worker_case.hpp"
#include "temporary_folder.hpp"

using namespace tilewright;

namespace {

// Returns a final of kernels that have not been measured yet.
JournalContents begun(const std::vector<std::string>& points) {
  JournalContents contents;
  contents.header = example_header({kSmall});
  for (const std::string& point : points) {
    contents.finals.kernels.push_back(parse_kernel(point));
  }
  return contents;
}

const std::vector<std::string> kThree = {"gemm tile_m=2", "gemm tile_m=4", "gemm tile_m=8"};

// Returns four rounds of these.
std::vector<Outcome> four_rounds() {
  return example_finals(kSmall, {{kThree[0], 100.0}, {kThree[1], 101.0}, {kThree[2], 102.0}}, 4);
}

// Returns a search with pack kernels for what its finals require, but without finals.
JournalContents searched() {
  JournalContents contents;
  contents.header = example_header({kSmall});
  contents.rates.emplace();
  contents.rates->copy_gbytes_per_s = 100.0;
  for (const std::string& point : kThree) {
    contents.outcomes.push_back(example_outcome(point, "NN", {{kSmall, {100.0}}}, 1.0));
  }
  contents.packs = {example_pack("pack", 1.0)};
  return contents;
}

// Holds finals in that time, in seconds of the tuning. Returns what the journal contains then.
JournalContents held_until(double until_s, double end_s) {
  const WorkerLog log;
  const TemporaryFolder folder;
  DeviceWorker worker(fake_setup(log, "fake"));
  TuningJournal journal(Journal::create(folder.path() + "/journal", searched().header), searched(),
                        session_clock());
  const TuneOptions options;
  TuneProgress progress([](const std::string&) {}, false);
  TuneContext context{worker, journal, options, progress};
  CHECK(hold_finals(context, until_s, end_s));
  return journal.contents();
}

// One round of a final.
struct Round {
  int process = 0;
  std::size_t samples = 0;  // outcomes with samples
};

// Returns the rounds of a final with at most that many rounds and sufficient time, by number.
std::map<int, Round> held(const std::string& device, JournalContents contents,
                          int rounds = kMaxRounds, const WorkerLog* log = nullptr,
                          std::vector<Outcome>* finals = nullptr) {
  const WorkerLog own_log;
  const TemporaryFolder folder;
  DeviceWorker worker(fake_setup(log == nullptr ? own_log : *log, device));
  const JournalHeader header = contents.header;
  TuningJournal journal(Journal::create(folder.path() + "/journal", header), std::move(contents),
                        session_clock());
  const TuneOptions options;
  TuneProgress progress([](const std::string&) {}, false);
  TuneContext context{worker, journal, options, progress};
  run_finals(context, journal.now_s() + 1e6, rounds);
  if (finals != nullptr) *finals = journal.contents().finals.outcomes;
  std::map<int, Round> by_number;
  for (const Outcome& outcome : journal.contents().finals.outcomes) {
    Round& round = by_number[outcome.round];
    round.process = outcome.process;
    round.samples += outcome.shapes.size();
  }
  return by_number;
}

}  // namespace

TEST_CASE("undecided finals continue block after block, each in its own worker process") {
  const WorkerLog log;
  const std::map<int, Round> rounds = held("noisy", begun(kThree), 23, &log);
  REQUIRE(rounds.size() == 23);
  for (const auto& [number, round] : rounds) CHECK(round.process == number / kRoundsOfBlock);
  CHECK(log.count("hello") >= 5);
}

TEST_CASE("finals that are certain end early") {
  CHECK(held("fake", begun(kThree)).size() == 3 * kRoundsOfBlock);
}

TEST_CASE("finals end after the permitted number of rounds, including earlier ones") {
  JournalContents contents = begun(kThree);
  CHECK(held("noisy", contents, 7).size() == 7);
  contents.finals.outcomes = four_rounds();
  CHECK(held("noisy", contents, 7).size() == 7);
  CHECK(held("noisy", contents, 4).size() == 4);
}

// Measurements of the next worker do not belong to the block of the lost one.
TEST_CASE("a block ends when its worker is lost") {
  const bool is_culprit = GENERATE(true, false);
  const std::map<int, Round> rounds =
      held(is_culprit ? "segv-in-third" : "kill-in-third", begun(kThree), 9);
  REQUIRE(rounds.size() == 9);
  for (const auto& [number, round] : rounds) {
    INFO(number);
    CHECK(round.process == (number < 3 ? 0 : number < 8 ? 1 : 2));
    CHECK(round.samples == (number == 2 ? 0 : is_culprit && number > 2 ? 2 : 3));
  }
}

TEST_CASE("a final that is continued starts another block") {
  JournalContents contents = begun(kThree);
  contents.finals.outcomes = four_rounds();
  for (Outcome& outcome : contents.finals.outcomes) outcome.process = 2;
  const std::map<int, Round> rounds = held("fake", contents);
  REQUIRE(rounds.size() > 4);
  CHECK(rounds.at(4).process == 3);
}

TEST_CASE("later blocks have fewer finalists, also after a final is continued") {
  std::vector<std::string> points;
  for (const int n : {1, 2, 3, 4, 6, 8}) {
    for (const int m : {1, 2, 4, 8}) {
      points.push_back(fmt::format("gemm tile_m={} tile_n={}", m, n));
    }
  }
  const auto sizes = [](const std::map<int, Round>& rounds) {
    std::map<int, std::size_t> by_block;
    for (const auto& [number, round] : rounds) by_block[round.process] = round.samples;
    return by_block;
  };
  JournalContents contents = begun(points);
  contents.finals.baselines = {parse_kernel(points[23])};
  std::vector<Outcome> finals;
  const auto all = held("fake", contents, 4 * kRoundsOfBlock, nullptr, &finals);
  CHECK(sizes(all) == std::map<int, std::size_t>{{0, 24}, {1, 13}, {2, 9}});
  contents.finals.outcomes = finals;
  std::erase_if(contents.finals.outcomes,
                [](const Outcome& outcome) { return outcome.process > 0; });
  CHECK(sizes(held("fake", contents, 4 * kRoundsOfBlock)) == sizes(all));
}

TEST_CASE("finals without time measure nothing") {
  const JournalContents contents = held_until(0.0, 0.0);
  CHECK(contents.finals.kernels.size() == kThree.size());
  CHECK(contents.finals.outcomes.empty());
}

TEST_CASE("finals get a share of the rest if pack kernels have taken their time") {
  CHECK_FALSE(held_until(0.0, 1e4).finals.outcomes.empty());
}
