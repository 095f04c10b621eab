// Tests when a search ends, with workers without a device and a clock that the test controls.
#include "tuner/tuning/stages/search_run.hpp"

#include "catch.hpp"
#include "journal_examples.hpp"
#include "process/kernel_ways.hpp"
#include "process/worker_case.hpp"
#include "temporary_folder.hpp"

using namespace tilewright;

namespace {

// Proposes more points than any test tries.
class Counting : public SearchStrategy {
 public:
  std::optional<ParameterPoint> next() override {
    constexpr int kTiles[] = {1, 2, 3, 4, 6, 8, 12, 16};
    GemmPoint point;
    point.tile_m = kTiles[proposed % 8];
    point.tile_n = kTiles[proposed / 8 % 8];
    ++proposed;
    return point;
  }
  void report(const ParameterPoint&, std::optional<double>, const std::vector<double>&) override {}
  int proposed = 0;
};

// Proposes kernels that hang.
class Hanging : public SearchStrategy {
 public:
  explicit Hanging(const char* way) : way_(way) {}
  std::optional<ParameterPoint> next() override {
    return kernel_that(way_, number_++ % kMaxOfWay).point();
  }
  void report(const ParameterPoint&, std::optional<double>, const std::vector<double>&) override {}

 private:
  const char* way_;
  int number_ = 0;
};

// A search until `until_s`, where each candidate takes `candidate_s`. The clock advances by
// `look_s` each time that it is read.
struct SearchTimes {
  double until_s;
  double candidate_s;
  double look_s;
};

struct Ended {
  SearchRun::End end;
  int proposed;
  int tried;
  double at_s;
  double spent_s;
  std::vector<Unfinished> unfinished;  // what was in progress, according to the journal
};

Ended run(const SearchTimes& times, int most = 1000, int num_compilers = 0) {
  const WorkerLog log;
  const TemporaryFolder folder;
  DeviceWorker worker(fake_setup(log));
  Compilers compilers(fake_setup(log), worker.facts(), num_compilers);
  JournalContents contents;
  contents.header = example_header({kSmall});
  double now_s = 0.0;
  const JournalHeader header = contents.header;
  TuningJournal journal(Journal::create(folder.path() + "/journal", header), std::move(contents),
                        [&] { return now_s += times.look_s; });
  worker.on_activity = [&](const WorkerActivity& activity) {
    journal.append(TrialStarted{activity.what, activity.kind});
  };
  Counting strategy;
  const TuneOptions options;
  TuneProgress progress([](const std::string&) {}, false);
  TuneContext context{worker, journal, options, progress};
  SearchRun search(context, compilers, strategy, CostModel({Op::kNN}, {kSmall}, {}), "NN");
  const auto end =
      search.run(times.until_s, most, [&](const Outcome&) { now_s += times.candidate_s; });
  return {end,   strategy.proposed,      journal.tried_in("NN"),
          now_s, journal.spent_in("NN"), journal.contents().starts.unfinished()};
}

}  // namespace

TEST_CASE("a search ends when its time is over, and starts no candidate after that") {
  const Ended ended = run({10.0, 3.0, 0.0});
  CHECK(ended.end == SearchRun::End::kTime);
  CHECK(ended.tried == 4);  // at 0, 3, 6 and 9 s
  CHECK(ended.at_s == 12.0);
}

TEST_CASE("a candidate that is running when the time is over gets only the allowed overrun") {
  // The clock passes the end while the candidate is measured, whatever the worker does.
  const double look_s = 0.25;
  const Ended ended = run({10.0, 0.0, look_s});
  CHECK(ended.end == SearchRun::End::kTime);
  CHECK(ended.spent_s <= 10.0 + allowed_overrun_s(10.0));
  CHECK(ended.at_s <= 10.0 + allowed_overrun_s(10.0) + 8 * look_s);
  // A later reboot is not the fault of a candidate that was given up.
  CHECK(ended.unfinished.empty());
}

TEST_CASE("a candidate that hangs when the time is over is ended, and gets no outcome") {
  const bool is_built = GENERATE(false, true);
  const WorkerLog log;
  const TemporaryFolder folder;
  DeviceWorker worker(fake_setup(log));
  Compilers compilers(fake_setup(log), worker.facts(), is_built ? 2 : 0);
  JournalContents contents;
  contents.header = example_header({kSmall});
  const JournalHeader header = contents.header;
  TuningJournal journal(Journal::create(folder.path() + "/journal", header), std::move(contents),
                        session_clock());
  worker.on_activity = [&](const WorkerActivity& activity) {
    journal.append(TrialStarted{activity.what, activity.kind});
  };
  compilers.on_activity = worker.on_activity;
  Hanging strategy(is_built ? "sleep@build" : "sleep@launch");
  const TuneOptions options;
  TuneProgress progress([](const std::string&) {}, false);
  TuneContext context{worker, journal, options, progress};
  SearchRun search(context, compilers, strategy, CostModel({Op::kNN}, {kSmall}, {}), "NN");
  const double until_s = 1.0 * patience();
  CHECK(search.run(until_s, 1000, [](const Outcome&) {}) == SearchRun::End::kTime);
  CHECK(journal.now_s() < until_s + allowed_overrun_s(until_s) + 5.0 * patience());
  CHECK(journal.contents().outcomes.empty());
  CHECK(log.count(is_built ? "build sleep@build" : "measure") > 0);
  CHECK_FALSE(journal.contents().starts == JournalStarts());
  CHECK(journal.contents().starts.unfinished().empty());
}

// A former error: the last batch of each search was compiled and then thrown away.
TEST_CASE("no more candidates are compiled than can be measured in the time that is left") {
  const Ended ended = run({10.5, 1.0, 0.0}, 1000, 2);
  CHECK(ended.end == SearchRun::End::kTime);
  CHECK(ended.tried == 11);  // at 0, 1 ... 10 s
  CHECK(ended.proposed == ended.tried);
}

TEST_CASE("compiled candidates are measured after the time is over if they fit in the overrun") {
  // Nothing is known about the time of a candidate when the first batch of four is compiled.
  const Ended fit = run({0.25, 0.1, 0.0}, 1000, 2);
  CHECK(fit.tried == 4);
  CHECK(fit.proposed == 4);
  const Ended too_long = run({0.25, 1.0, 0.0}, 1000, 2);
  CHECK(too_long.tried == 1);
}

TEST_CASE("a search with a limited number of candidates ends with the last of them") {
  const Ended ended = run({10.0, 1.0, 0.0}, 3);
  CHECK(ended.end == SearchRun::End::kExhausted);
  CHECK(ended.tried == 3);
}

TEST_CASE("the allowed overrun depends on the length of the search, within limits") {
  CHECK(allowed_overrun_s(10.0) == 1.0);
  CHECK(allowed_overrun_s(1.0) == 0.5);
  CHECK(allowed_overrun_s(1000.0) == 3.0);
}
