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

constexpr GemmShape kShape{64, 64, 64};

// Returns a final of kernels that have not been measured yet.
JournalContents finalists(const std::vector<std::string>& points) {
  JournalContents contents;
  contents.header = example_header({kShape});
  Lineup lineup;
  for (const std::string& point : points) {
    lineup.plans.push_back({Op::kNN, lineup.finalists.size()});
    lineup.finalists.push_back(parse_kernel(point));
  }
  contents.lineup = lineup;
  return contents;
}

JournalContents three_finalists() {
  return finalists({"gemm tile_m=2", "gemm tile_m=4", "gemm tile_m=8"});
}

// Returns the rounds of a final with at most that many rounds and sufficient time.
std::vector<Round> held(const std::string& device, JournalContents contents,
                        int rounds = kMaxRounds, const WorkerLog* log = nullptr) {
  const WorkerLog own_log;
  const TemporaryFolder folder;
  DeviceWorker worker(fake_setup(log == nullptr ? own_log : *log, device));
  const JournalHeader header = contents.header;
  TuningJournal record(Journal::create(folder.path() + "/journal", header), std::move(contents),
                       session_clock());
  run_finals(worker, record, {}, record.now_s() + 1e6, rounds, [](const FinalsProgress&) {});
  return record.contents().rounds;
}

}  // namespace

TEST_CASE("undecided finals continue block after block, each in its own worker process") {
  const WorkerLog log;
  const std::vector<Round> rounds = held("noisy", three_finalists(), 23, &log);
  REQUIRE(rounds.size() == 23);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    CHECK(rounds[i].round == static_cast<int>(i));
    CHECK(rounds[i].block == static_cast<int>(i) / kRoundsOfBlock);
  }
  CHECK(log.count("hello") >= 5);
}

TEST_CASE("finals that are certain end early") {
  const std::vector<Round> rounds = held("fake", three_finalists());
  CHECK(rounds.size() == 3 * kRoundsOfBlock);
}

TEST_CASE("finals end after the permitted number of rounds, including earlier ones") {
  JournalContents contents = three_finalists();
  CHECK(held("noisy", contents, 7).size() == 7);
  contents.rounds = example_rounds(kShape, {{0, 100.0}, {1, 101.0}, {2, 102.0}}, 4);
  CHECK(held("noisy", contents, 7).size() == 7);
  CHECK(held("noisy", contents, 4).size() == 4);
}

// Measurements of the next worker do not belong to the block of the lost one.
TEST_CASE("a block ends when its worker is lost") {
  const bool is_culprit = GENERATE(true, false);
  const JournalContents contents = three_finalists();
  const std::vector<Round> rounds =
      held(is_culprit ? "segv-in-third" : "kill-in-third", contents, 9);
  REQUIRE(rounds.size() == 9);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    INFO(i);
    CHECK(rounds[i].block == (i < 3 ? 0 : i < 8 ? 1 : 2));
    CHECK(rounds[i].ns.size() == (i == 2 ? 0 : is_culprit && i > 2 ? 2 : 3));
  }
}

TEST_CASE("a final that is continued starts another block") {
  JournalContents contents = three_finalists();
  contents.rounds = example_rounds(kShape, {{0, 100.0}, {1, 101.0}, {2, 102.0}}, 4);
  for (Round& round : contents.rounds) round.block = 2;
  const std::vector<Round> rounds = held("fake", contents);
  REQUIRE(rounds.size() > 4);
  CHECK(rounds[4].round == 4);
  CHECK(rounds[4].block == 3);
}

TEST_CASE("later blocks have fewer finalists, also after a final is continued") {
  std::vector<std::string> points;
  for (const int n : {1, 2, 3, 4, 6, 8}) {
    for (const int m : {1, 2, 4, 8}) {
      points.push_back(fmt::format("gemm tile_m={} tile_n={}", m, n));
    }
  }
  const auto sizes = [](const std::vector<Round>& rounds) {
    std::map<int, std::size_t> by_block;
    for (const Round& round : rounds) by_block[round.block] = round.ns.size();
    return by_block;
  };
  JournalContents contents = finalists(points);
  contents.lineup->baselines = {23};
  const std::vector<Round> all = held("fake", contents, 4 * kRoundsOfBlock);
  CHECK(sizes(all) == std::map<int, std::size_t>{{0, 24}, {1, 13}, {2, 9}});
  contents.rounds.assign(all.begin(), all.begin() + kRoundsOfBlock);
  CHECK(sizes(held("fake", contents, 4 * kRoundsOfBlock)) == sizes(all));
}
