// Tests how the energy of finalists is measured, with workers without a device.
#include "tuner/tuning/stages/energy_stage.hpp"

#include <map>
#include <utility>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "process/worker_case.hpp"
#include "profiles/base/usage_error.hpp"
#include "temporary_folder.hpp"
#include "tuner/journal/energy_rounds.hpp"

using namespace tilewright;
using Catch::Matchers::ContainsSubstring;

namespace {

const GemmShape kShape{64, 64, 64};
const GemmShape kOther{32, 32, 32};

// Returns a finished final of these kernels with these times in ns.
JournalContents final_of(const std::vector<std::pair<KernelId, double>>& kernels,
                         const std::vector<GemmShape>& shapes = {kShape}) {
  JournalContents contents;
  contents.header = example_header(shapes);
  contents.header.ops = {Op::kNN};
  contents.header.objective = Objective::kEnergy;
  Lineup lineup;
  std::map<std::size_t, double> ns;
  for (const auto& [kernel, time] : kernels) {
    ns[lineup.finalists.size()] = time;
    lineup.plans.push_back({Op::kNN, lineup.finalists.size()});
    lineup.finalists.push_back(kernel);
  }
  contents.lineup = lineup;
  for (const GemmShape& shape : shapes) {
    const std::vector<Round> rounds = example_rounds(shape, ns);
    contents.rounds.insert(contents.rounds.end(), rounds.begin(), rounds.end());
  }
  return contents;
}

// The third kernel is much slower than the first.
JournalContents three_finalists(const std::vector<GemmShape>& shapes = {kShape}) {
  return final_of({{parse_kernel("gemm tile_m=2"), 100.0},
                   {parse_kernel("gemm tile_m=4"), 110.0},
                   {parse_kernel("gemm tile_m=8"), 200.0}},
                  shapes);
}

// All of them are fast enough, but only the first four are measured.
JournalContents six_finalists(const std::vector<GemmShape>& shapes = {kShape}) {
  return final_of({{parse_kernel("gemm tile_m=1"), 100.0},
                   {parse_kernel("gemm tile_m=2"), 102.0},
                   {parse_kernel("gemm tile_m=4"), 104.0},
                   {parse_kernel("gemm tile_m=8"), 106.0},
                   {parse_kernel("gemm tile_n=2"), 108.0},
                   {parse_kernel("gemm tile_n=4"), 110.0}},
                  shapes);
}

struct Measured {
  JournalContents contents;
  std::string notes;
  std::string sensor_failure;
  double needed_s = 0.0;  // before
  bool goes_on = false;
};

// `request_s`: what each request takes by the clock of the journal; 0: the time that passes.
Measured measured_energy(const std::string& device, JournalContents contents, double budget_s = 1e6,
                         double request_s = 0.0) {
  const WorkerLog log;
  const Clock requests = [&] { return request_s * log.count("measure"); };
  const TemporaryFolder folder;
  DeviceWorker worker(fake_setup(log, device));
  const JournalHeader header = contents.header;
  TuningJournal record(Journal::create(folder.path() + "/journal", header), std::move(contents),
                       request_s > 0.0 ? requests : session_clock());
  TuneOptions options;
  options.objective = header.objective;
  options.sensors = {"a"};
  Measured measured;
  TuneProgress progress([&](const std::string& text) { measured.notes += text; }, false);
  const MeasureOptions measure;
  EnergyStage stage(worker, record, options, measure, progress);
  measured.needed_s = stage.needed_s();
  measured.goes_on = stage.run(record.now_s() + budget_s) && stage.run(record.now_s() + budget_s);
  measured.sensor_failure = stage.sensor_failure();
  measured.contents = record.contents();
  return measured;
}

}  // namespace

TEST_CASE("energy: three samples of each finalist that may be best, one of all before the next") {
  const Measured measured = measured_energy("fake", three_finalists({kShape, kOther}));
  CHECK(measured.goes_on);
  const std::vector<Round>& rounds = measured.contents.energy_rounds;
  REQUIRE(rounds.size() == 6);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    INFO(i);
    CHECK(rounds[i].round == static_cast<int>(i) / 2);
    CHECK(rounds[i].shape == (i % 2 == 0 ? kShape : kOther));
    CHECK(rounds[i].joules.size() == 2);  // the third finalist is too slow
    CHECK(rounds[i].joules.contains(0));
    CHECK(rounds[i].joules.contains(1));
  }
  CHECK(measured.contents.rounds.size() == 16);
}

TEST_CASE("energy: samples that the journal contains count") {
  JournalContents contents = three_finalists();
  contents.energy_rounds = {{.round = 0, .shape = kShape, .joules = {{0, 0.5}, {1, 0.6}}},
                            {.round = 1, .shape = kShape, .joules = {{0, 0.5}}}};
  const std::vector<Round> rounds = measured_energy("fake", contents).contents.energy_rounds;
  REQUIRE(rounds.size() == 4);
  CHECK(rounds[2].round == 1);
  CHECK(rounds[2].joules.size() == 1);
  CHECK(rounds[2].joules.contains(1));
  CHECK(rounds[3].joules.size() == 2);
}

TEST_CASE("energy: if the sensor fails, its samples are kept, and the tuning goes on") {
  const Measured measured = measured_energy("blind", three_finalists());
  CHECK(measured.goes_on);
  CHECK(measured.contents.energy_rounds.size() == 1);
  CHECK(measured.sensor_failure == "the sensor is blind");
  const std::string note = "energy is not measured any further: the sensor is blind";
  CHECK_THAT(measured.notes, ContainsSubstring(note));
  CHECK(measured.notes.find(note) == measured.notes.rfind(note));  // it is not tried again
}

TEST_CASE("energy: a finalist that crashes fails, and the others are measured") {
  const Measured measured = measured_energy("segv-in-energy", three_finalists());
  CHECK(measured.goes_on);
  REQUIRE(measured.contents.finalist_failures.contains(1));
  CHECK(measured.contents.energy_rounds.size() == 3);
  for (const Round& round : measured.contents.energy_rounds) {
    CHECK(round.joules.size() == 1);
    CHECK(round.joules.contains(0));
  }
}

TEST_CASE("energy: that of a slow finalist counts, and the others do not wait for it") {
  for (const bool has_samples : {true, false}) {
    const Measured measured =
        measured_energy(has_samples ? "slow-in-energy" : "too-slow-in-energy", three_finalists());
    CHECK(measured.goes_on);
    CHECK(measured.contents.finalist_failures.empty());
    CHECK(lacks_energy(measured.contents) == !has_samples);
    const auto joules = joules_on(measured.contents, kShape);
    CHECK(joules.at(0).size() == 3);
    CHECK(joules.count(1) == (has_samples ? 1U : 0U));
    if (has_samples) CHECK(joules.at(1).size() == 3);
  }
}

TEST_CASE("energy: a shape without enough time does not keep another one from later samples") {
  JournalContents contents = six_finalists({kShape, kOther});
  // On the second shape, only the first finalist has no sample.
  for (int round = 0; round < 3; ++round) {
    contents.energy_rounds.push_back(
        {.round = round, .shape = kOther, .joules = {{1, 0.013}, {2, 0.015}, {3, 0.019}}});
  }
  // There is time for three samples, but on the first shape each of four finalists needs one.
  const Measured measured = measured_energy("fake", contents, 3.5, 1.0);
  CHECK(measured.goes_on);
  CHECK(joules_on(measured.contents, kShape).empty());
  for (const auto& [finalist, joules] : joules_on(measured.contents, kOther)) {
    INFO("finalist " << finalist);
    CHECK(finalist < 4);
    CHECK(joules.size() == 3);
  }
  CHECK(joules_on(measured.contents, kOther).contains(0));
}

TEST_CASE("energy: what takes the place of a finalist that crashes is measured") {
  const Measured measured = measured_energy("segv-in-energy", six_finalists({kShape, kOther}));
  CHECK(measured.goes_on);
  CHECK(measured.contents.finalist_failures.size() == 1);
  CHECK(measured.contents.finalist_failures.contains(2));
  CHECK_FALSE(lacks_energy(measured.contents));
  for (const GemmShape& shape : {kShape, kOther}) {
    const auto joules = joules_on(measured.contents, shape);
    CHECK(joules.size() == 4);
    for (const std::size_t finalist : {0UL, 1UL, 3UL, 4UL}) CHECK(joules.at(finalist).size() == 3);
  }
}

TEST_CASE("energy: the time that is needed counts all samples, by an estimate before the finals") {
  // Two contenders and three samples, each of 1 s and what it takes in addition.
  CHECK(measured_energy("fake", three_finalists()).needed_s == Approx(2 * 3 * 1.4));
  CHECK(measured_energy("fake", three_finalists({kShape, kOther})).needed_s ==
        Approx(2 * 2 * 3 * 1.4));
  JournalContents contents = three_finalists();
  contents.rounds.clear();
  CHECK(measured_energy("fake", contents).needed_s == Approx(4 * 3 * 1.4));
  contents.header.objective = Objective::kTime;
  CHECK(measured_energy("fake", contents).needed_s == 0.0);
}

TEST_CASE("energy: nothing is measured without time, finals or another objective than time") {
  CHECK(measured_energy("fake", three_finalists(), 0.0).contents.energy_rounds.empty());
  JournalContents contents = three_finalists();
  contents.rounds.clear();
  CHECK(measured_energy("fake", contents).contents.energy_rounds.empty());
  contents = three_finalists();
  contents.header.objective = Objective::kTime;
  CHECK(measured_energy("fake", contents).contents.energy_rounds.empty());
}

TEST_CASE("energy: if a finalist fails after the stage, it is missing again") {
  JournalContents contents = measured_energy("fake", six_finalists()).contents;
  CHECK_FALSE(lacks_energy(contents));
  contents.finalist_failures[1] = "it crashed on a random product";
  CHECK(lacks_energy(contents));
  CHECK_FALSE(lacks_energy(measured_energy("fake", contents).contents));
}

TEST_CASE("energy: it is missing until everything that may be best has a sample on each shape") {
  JournalContents contents = three_finalists({kShape, kOther});
  CHECK(lacks_energy(contents));
  // Of an earlier line-up, which the first finalist was in.
  contents.energy_rounds = {{.shape = kShape, .joules = {{0, 0.5}}},
                            {.shape = kOther, .joules = {{0, 0.5}}}};
  CHECK(lacks_energy(contents));
  contents.energy_rounds.push_back({.shape = kShape, .joules = {{1, 0.5}}});
  CHECK(lacks_energy(contents));
  contents.energy_rounds.push_back({.shape = kOther, .joules = {{1, 0.5}}});
  CHECK_FALSE(lacks_energy(contents));
  contents.rounds.clear();
  CHECK(lacks_energy(contents));
  CHECK_FALSE(lacks_energy(measured_energy("segv-in-energy", three_finalists()).contents));
  contents.header.objective = Objective::kTime;
  CHECK_FALSE(lacks_energy(contents));
}

TEST_CASE("energy: a tuning needs sensors unless its objective is the time") {
  TuneOptions options;
  options.sensors = {"a", "b"};
  const auto sensors = [&](const std::string& device) {
    const WorkerLog log;
    DeviceWorker worker(fake_setup(log, device));
    return require_sensors(worker, options);
  };
  CHECK(sensors("no-sensor").empty());
  options.objective = Objective::kEnergyDelay;
  const std::vector<SensorInfo> found = sensors("fake");
  REQUIRE(found.size() == 2);
  CHECK(found[1].name == "fake b");
  CHECK_THROWS_WITH(sensors("no-sensor"),
                    "--objective energy-delay: no energy sensor covers this device; `tilewright "
                    "doctor` lists all sensors");
  CHECK_THROWS_WITH(sensors("segv@sensors"),
                    ContainsSubstring("while it looked for energy sensors"));
}
