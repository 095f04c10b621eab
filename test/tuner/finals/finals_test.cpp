// How finals go on from worker to worker, played by workers without a device.
#include "tuner/finals/finals.hpp"

#include <fmt/format.h>

#include <chrono>
#include <set>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "temporary_folder.hpp"
#include "worker/worker_case.hpp"

using namespace tilewright;

namespace {

constexpr GemmShape kShape{64, 64, 64};

// A final of kernels that nobody has measured yet.
JournalContents finalists(const std::vector<std::string>& points) {
  JournalContents contents;
  contents.header = example_header({kShape});
  Lineup lineup;
  for (const std::string& point : points) {
    lineup.finalists.push_back({point, Finalist::Job::kProduct, ""});
    Way way;
    way.product = lineup.finalists.size() - 1;
    lineup.ways.push_back(way);
  }
  lineup.reference = points.size() - 1;
  contents.lineup = lineup;
  return contents;
}

JournalContents three_finalists() {
  return finalists({"gemm tile_m=2", "gemm tile_m=4", "gemm tile_m=8"});
}

// The sweeps of a final of at most so many rounds, whose time ends long after them.
std::vector<Sweep> held(const std::string& device, JournalContents contents,
                        int rounds = kMostRounds) {
  const WorkerLog log;
  const TemporaryFolder folder;
  Workers workers(fake_setup(log, device), 0);
  const JournalHeader header = contents.header;
  TuningRecord record(Journal::create(folder.path() + "/journal", header), std::move(contents),
                      std::chrono::steady_clock::now());
  run_finals(workers, record, {}, record.now_s() + 1e6, rounds, [](const FinalsProgress&) {});
  return record.contents().sweeps;
}

}  // namespace

TEST_CASE("finals that nothing settles go on from worker to worker") {
  const std::vector<Sweep> sweeps = held("noisy", three_finalists());
  std::set<int> forks;
  int last = 0;
  for (const Sweep& sweep : sweeps) {
    CHECK(sweep.fork >= last);
    last = sweep.fork;
    forks.insert(sweep.fork);
  }
  CHECK(forks.size() >= 3);
  CHECK(*forks.begin() == 0);
  CHECK(last == static_cast<int>(forks.size()) - 1);
}

TEST_CASE("finals end after the rounds that they may have, those held before included") {
  JournalContents contents = three_finalists();
  CHECK(held("noisy", contents, 7).size() == 7);
  contents.sweeps = example_sweeps(kShape, {{0, 100.0}, {1, 100.0}, {2, 100.0}}, 4);
  CHECK(held("noisy", contents, 7).size() == 7);
  CHECK(held("noisy", contents, 4).size() == 4);
}

TEST_CASE("a final that is gone on with begins another fork") {
  JournalContents contents = three_finalists();
  contents.sweeps = example_sweeps(kShape, {{0, 100.0}, {1, 100.0}, {2, 100.0}}, 4);
  for (Sweep& sweep : contents.sweeps) sweep.fork = 2;
  const std::vector<Sweep> sweeps = held("fake", contents);
  REQUIRE(sweeps.size() > 4);
  CHECK(sweeps[4].round == 4);
  CHECK(sweeps[4].fork == 3);
}

TEST_CASE("of a final's time more goes to fewer, also where it is gone on with") {
  std::vector<std::string> points;
  for (const int n : {1, 2, 4, 8}) {
    for (const int m : {1, 2, 4, 8}) {
      points.push_back(fmt::format("gemm tile_m={} tile_n={}", m, n));
    }
  }
  JournalContents contents = finalists(points);
  // As good as over when it goes on: eight race, and the reference. (Or one more where two tie.)
  contents.lineup_at_s = -1e12;
  const std::vector<Sweep> last = held("noisy", contents);
  REQUIRE(last.size() > 60);
  CHECK(last[10].ns.size() == points.size());
  CHECK(last[60].ns.size() <= 10);
  // By the clock as good as at its begin; of 500 rounds 60 leave 15^0.88 = 11, 200 eight.
  contents.lineup_at_s = 0.0;
  const std::vector<Sweep> all = held("noisy", contents);
  REQUIRE(all.size() > 200);
  CHECK(all[60].ns.size() > last[60].ns.size());
  CHECK(all[200].ns.size() <= 10);
}
