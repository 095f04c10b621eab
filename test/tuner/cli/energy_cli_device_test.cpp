// Tests of `tilewright bench --energy` and of the sensors in `tilewright devices`, with artificial
// sensors.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench_figures.hpp"
#include "catch.hpp"
#include "cli_checks.hpp"
#include "energy/made_up_sensors.hpp"
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
  // `max_changes`: how often the counter changes before it disappears.
  explicit RunningPackage(int max_changes = 1 << 30) {
    sensors_.zone("intel-rapl:0", "package-0", "0", "0");
    writer_ = std::thread([this, max_changes] {
      const std::string file = sensors_.sysfs() + "/class/powercap/intel-rapl:0/energy_uj";
      for (std::int64_t changes = 1; !is_over_ && changes <= max_changes; ++changes) {
        std::ofstream(file + ".new") << 1000000 * changes << '\n';
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
  CHECK(contains(bench.error, "about 0.3 s"));
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
  CHECK(contains(bench.out, "NN 64x64x64"));
  CHECK(contains(bench.out, "not measured: the sensor"));
}

TEST_CASE("a device without sensors gets one sentence") {
  const ScopedVariable sysfs("TILEWRIGHT_SYSFS", scratch_folder().c_str());
  const ScopedVariable nvml("TILEWRIGHT_NVML", "libtilewright-no-such-library.so");
  const ProgramResult bench = run_program(kBench);
  CHECK(bench.exit_code == 0);
  CHECK(contains(bench.out, "not measured: no energy sensor"));
  const auto devices = nlohmann::json::parse(run_program("devices --json").out);
  CHECK(contains(devices.at(0)["energy"]["missing"].get<std::string>(), "no energy sensor"));
  CHECK(contains(run_program("devices").out, "no energy sensor"));
}

TEST_CASE("devices shows the sensors of a CPU") {
  MadeUpSensors machine;
  machine.zone("intel-rapl:0", "package-0", "5");
  const ScopedVariable sysfs("TILEWRIGHT_SYSFS", machine.sysfs().c_str());
  const auto devices = nlohmann::json::parse(run_program("devices --json").out);
  if (devices.at(0)["type"] != "cpu") SKIP_CASE("only a CPU is covered by its package");
  CHECK(devices.at(0)["energy"]["sensors"][0]["covers"] == "CPU package-0");
  CHECK(contains(run_program("devices").out, "rapl package-0: covers"));
}

TEST_CASE("bench --energy and doctor use NVML") {
  const ScopedVariable nvml("TILEWRIGHT_NVML", TILEWRIGHT_FAKE_NVML_LIBRARY);
  const ProgramResult bench = run_program(kBench + "--sensors 0001:0a --json");
  INFO(bench.error);
  REQUIRE(bench.exit_code == 0);
  const auto json = nlohmann::json::parse(bench.out);
  CHECK(json["conditions"]["energy"]["sensors"][0]["name"] == "nvml 0001:0a:00.0");
  CHECK(figure_in(json["results"][0], "tilewright")["energy"]["watts"]["median"] > 0.0);
  CHECK(contains(run_doctor().out, "nvml 0000:65:00.0: covers"));
}

TEST_CASE("options of energy need --energy, and exclude kernels without the library") {
  check_refused("bench --sensors package", "--sensors requires --energy");
  check_refused("bench --energy-sample 2s", "--energy-sample requires");
  check_refused("bench --energy --points published", "--energy");
  check_refused("bench --max-plans 3", "--max-plans requires");
  check_refused("bench --all-plans --max-plans -1", "--max-plans: must not");
}

}  // namespace
}  // namespace tilewright
