// Tests of `tilewright bench --energy` and of the sensors in `tilewright devices`, with artificial
// sensors.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench_figures.hpp"
#include "catch.hpp"
#include "cli_checks.hpp"
#include "energy/made_up_sensors.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"
#include "scoped_variable.hpp"

namespace tilewright {
namespace {

const std::string kBench =
    "bench --device 0 --profile builtin --shapes 64x64x64 --ops nn --seconds 50ms --energy "
    "--energy-sample 20ms ";

// A CPU package that consumes 1 J every millisecond, until its counter disappears.
class RunningPackage {
 public:
  enum class Counter { kRises, kFalls };
  // `max_changes`: how often the counter changes before it disappears. A counter that falls is
  // broken.
  explicit RunningPackage(int max_changes = 1 << 30, Counter counter = Counter::kRises) {
    const std::int64_t start = counter == Counter::kFalls ? max_changes : 0;
    sensors_.zone("intel-rapl:0", "package-0", std::to_string(1000000 * start), "0");
    writer_ = std::thread([this, max_changes, start] {
      const std::string file = sensors_.sysfs() + "/class/powercap/intel-rapl:0/energy_uj";
      for (std::int64_t changes = 1; !is_over_ && changes <= max_changes; ++changes) {
        std::ofstream(file + ".new") << 1000000 * std::abs(start - changes) << '\n';
        std::rename((file + ".new").c_str(), file.c_str());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (!is_over_) std::remove(file.c_str());
    });
  }
  ~RunningPackage() {
    is_over_ = true;
    writer_.join();
  }
  RunningPackage(const RunningPackage&) = delete;
  RunningPackage& operator=(const RunningPackage&) = delete;

  std::string sysfs() const { return sensors_.sysfs(); }

 private:
  MadeUpSensors sensors_;
  std::atomic<bool> is_over_ = false;
  std::thread writer_;
};

TEST_CASE("bench --energy measures each competitor") {
  const RunningPackage package;
  const ScopedVariable sysfs("TILEWRIGHT_SYSFS", package.sysfs().c_str());
  const ProgramResult bench =
      run_program(kBench + "--sensors package --compare builtin --all-plans --max-plans 2 --json");
  INFO(bench.error);
  REQUIRE(bench.exit_code == 0);
  CHECK(contains(bench.error, "measuring energy takes about 0.3 s or longer"));
  const auto json = nlohmann::json::parse(bench.out);
  const auto& energy = json["conditions"]["energy"];
  REQUIRE(energy["sensors"].size() == 1);
  CHECK(energy["sensors"][0]["name"] == "rapl package-0");
  CHECK(energy["idle_watts"]["median"] > 0.0);
  CHECK_FALSE(energy.contains("missing"));
  for (const char* kind : {"tilewright", "competitor", "plan"}) {
    const auto figure = figure_in(json["results"][0], kind);
    INFO(figure);
    REQUIRE(figure.contains("energy"));
    CHECK(figure["energy"]["samples"] == 5);
    CHECK(figure["energy"]["joules"]["median"] > 0.0);
    CHECK(figure["energy"]["gflops_per_watt"]["median"] > 0.0);
  }
  CHECK_FALSE(figure_in(json["results"][0], "launch_floor").contains("energy"));
}

TEST_CASE("if the sensor disappears, bench --energy still reports times") {
  const RunningPackage package(60);
  const ScopedVariable sysfs("TILEWRIGHT_SYSFS", package.sysfs().c_str());
  const ProgramResult bench = run_program(kBench + "--sensors package");
  INFO(bench.error);
  CHECK(bench.exit_code == 0);
  CHECK(contains(bench.out, "NN  64x64x64"));
  CHECK(contains(bench.out, "energy is not measured: the sensor "));
}

TEST_CASE("a device without sensors gets one sentence") {
  const ScopedVariable sysfs("TILEWRIGHT_SYSFS", scratch_folder().c_str());
  const ScopedVariable nvml("TILEWRIGHT_NVML", "libtilewright-no-such-library.so");
  const ProgramResult bench = run_program(kBench);
  CHECK(bench.exit_code == 0);
  CHECK(contains(bench.out, "energy is not measured: no energy sensor covers this device ("));
  const auto devices = nlohmann::json::parse(run_program("devices --json").out);
  CHECK(contains(devices.at(0)["energy"]["missing"].get<std::string>(), "no energy sensor"));
  CHECK(contains(run_program("devices").out, "energy cannot be measured: no energy sensor"));
}

TEST_CASE("devices shows the sensors of a CPU") {
  MadeUpSensors machine;
  machine.zone("intel-rapl:0", "package-0", "5");
  const ScopedVariable sysfs("TILEWRIGHT_SYSFS", machine.sysfs().c_str());
  const auto devices = nlohmann::json::parse(run_program("devices --json").out);
  if (devices.at(0)["type"] != "cpu") SKIP_CASE("only a CPU is covered by its package");
  CHECK(devices.at(0)["energy"]["sensors"][0]["covers"] == "CPU package-0");
  CHECK(contains(run_program("devices").out, "energy sensor rapl package-0: covers CPU package-0"));
}

TEST_CASE("bench --energy and doctor use NVML") {
  const ScopedVariable nvml("TILEWRIGHT_NVML", TILEWRIGHT_FAKE_NVML_LIBRARY);
  const ProgramResult bench = run_program(kBench + "--sensors 0001:0a --json");
  INFO(bench.error);
  REQUIRE(bench.exit_code == 0);
  const auto json = nlohmann::json::parse(bench.out);
  CHECK(json["conditions"]["energy"]["sensors"][0]["name"] == "nvml 0001:0a:00.0");
  CHECK(figure_in(json["results"][0], "tilewright")["energy"]["watts"]["median"] > 0.0);
  CHECK(contains(run_program("doctor").out, "energy sensor nvml 0000:65:00.0: covers GPU card"));
}

// Runs a tuning whose sensor fails, so that its kernels are not added to a profile.
void check_adds_nothing(const std::string& arguments, const std::string& refusal) {
  const RunningPackage package(1 << 30, RunningPackage::Counter::kFalls);
  const ScopedVariable sysfs("TILEWRIGHT_SYSFS", package.sysfs().c_str());
  const ProgramResult tuning = run_program(
      "tune --device 0 --budget 10000s --candidates 2 --rounds 2 --strategy known --shapes "
      "64x64x64 --ops nn --objective energy --sensors package --energy-sample 20ms " +
      arguments);
  INFO(tuning.error);
  CHECK(tuning.exit_code == 1);
  CHECK(contains(tuning.error, refusal + ", because no energy was measured"));
  CHECK(contains(tuning.error, "is missing, because a sensor failed: "));
  CHECK(contains(tuning.error, "run the same command again when the sensor works"));
  CHECK_FALSE(contains(tuning.error, "the budget left no time"));
}

// A tuning of another type that cannot measure energy does not replace the profile that it adds to,
// and can be continued.
void check_keeps_profile_without_energy(const std::string& profile_path) {
  const std::string before = write_profile(load_profile(profile_path));
  for (int i = 0; i < 2; ++i) {
    check_adds_nothing("--precision h --profile " + profile_path, profile_path + " is unchanged");
    CHECK(write_profile(load_profile(profile_path)) == before);
  }
}

// Nor does a tuning of the same type write kernels that were chosen by time and by energy.
void check_mixes_nothing(const std::string& profile_path) {
  const std::string other = scratch_folder() + "/mixed.toml";
  check_adds_nothing("--profile " + profile_path + " --output " + other, other + " is not written");
  CHECK_FALSE(std::filesystem::exists(other));
}

TEST_CASE("tune --objective energy decides the finals by energy and stores joules") {
  const RunningPackage package;
  const ScopedVariable sysfs("TILEWRIGHT_SYSFS", package.sysfs().c_str());
  const std::string profile_path = scratch_folder() + "/energy.toml";
  const ProgramResult tuning = run_program(
      "tune --device 0 --budget 10000s --candidates 6 --rounds 2 --strategy known --shapes "
      "64x64x64 "
      "--ops nn --objective energy --sensors package --energy-sample 20ms --output " +
      profile_path);
  INFO(tuning.error);
  REQUIRE(tuning.exit_code == 0);
  CHECK(contains(tuning.error,
                 "the finals are decided by energy, measured with the sensor rapl package-0, which "
                 "covers CPU package-0"));
  CHECK(contains(tuning.error, "objective energy: on 1 product, the chosen kernels need "));
  CHECK(contains(tuning.error, "x the energy of built-in"));
  const Profile profile = load_profile(profile_path);
  CHECK(profile.provenance.objective == Objective::kEnergy);
  CHECK(profile.provenance.energy_covers == "CPU package-0 (rapl package-0)");
  CHECK(profile.provenance.complete);
  CHECK(std::any_of(profile.results.begin(), profile.results.end(),
                    [](const ShapeResult& result) { return result.joules > 0.0; }));
  const ProgramResult show = run_program("show " + profile_path);
  CHECK(contains(show.out, "GFLOPS/W"));
  CHECK(contains(show.out, "sensors cover: CPU package-0"));
  // Another objective, or other sensors, make another tuning.
  const std::string again =
      "tune --device 0 --budget 10000s --candidates 6 --rounds 2 --strategy known --shapes "
      "64x64x64 "
      "--ops nn --output " +
      profile_path;
  const ProgramResult by_time = run_program(again);
  CHECK(by_time.exit_code != 0);
  CHECK(
      contains(by_time.error, R"(the objective (--objective) is "time", the journal's "energy")"));
  check_refused(again + " --fresh --overwrite --profile " + profile_path,
                "--profile: this profile was tuned with --objective energy and sensors that cover "
                "CPU package-0 (rapl package-0); give the same --objective and --sensors");
  check_mixes_nothing(profile_path);
  // Nor are results without energy mixed with results of a tuning for energy.
  Profile by_another = profile;
  by_another.provenance.objective = Objective::kTime;
  by_another.provenance.energy_statistic = by_another.provenance.energy_covers = "";
  for (ShapeResult& result : by_another.results)
    result.joules = result.low_joules = result.high_joules = 0.0;
  const std::string path = scratch_folder() + "/time.toml";
  std::ofstream(path) << write_profile(by_another);
  check_refused(
      "tune --device 0 --shapes 32x32x32 --ops nn --objective energy --sensors package --profile " +
          path,
      "--profile: the kernels of type s in this profile were chosen by time, so their results have "
      "no energy");
  check_keeps_profile_without_energy(path);
}

TEST_CASE("tune --objective energy without a sensor is refused") {
  const ScopedVariable sysfs("TILEWRIGHT_SYSFS", scratch_folder().c_str());
  const ScopedVariable nvml("TILEWRIGHT_NVML", "libtilewright-no-such-library.so");
  check_refused("tune --device 0 --objective energy --output " + scratch_folder() + "/none.toml",
                "--objective energy: no energy sensor covers this device (");
  CHECK_FALSE(std::filesystem::exists(scratch_folder() + "/none.toml.journal.jsonl"));
  check_refused("tune --objective joules", "--objective: 'joules' is not one of time, energy");
  check_refused("tune --objective energy --caches cold",
                "--objective energy: cannot be used with --caches cold");
  check_refused("tune --sensors package", "--sensors requires --objective");
  check_refused("tune --team 0,0 --objective energy", "--objective cannot be used with --team");
}

TEST_CASE("options of energy need --energy, and exclude kernels without the library") {
  check_refused("bench --sensors package", "--sensors requires --energy");
  check_refused("bench --energy-sample 2s", "--energy-sample requires --energy");
  check_refused("bench --energy --packs", "--packs cannot be used with --energy");
  check_refused("bench --energy --points published", "--points cannot be used with --energy");
  check_refused("bench --max-plans 3", "--max-plans requires --all-plans");
  check_refused("bench --all-plans --max-plans -1", "--max-plans: must not be negative");
}

}  // namespace
}  // namespace tilewright
