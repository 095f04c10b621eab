// Tests that, if the device cannot time its commands, all measuring commands of the program use the
// host's clock and report this.
#include <stdlib.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "bench_figures.hpp"
#include "catch.hpp"
#include "first_plans.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"
#include "test_device.hpp"

namespace tilewright {

// For device_main.cpp: runs before the first call of OpenCL, when the loader looks for layers.
std::optional<std::string> reason_to_skip() {
  ::setenv("OPENCL_LAYERS", TILEWRIGHT_NO_TIMERS, 1);
  const auto device = find_test_device();
  if (!device) return "no OpenCL device";
  if ((device->getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & CL_QUEUE_PROFILING_ENABLE) == 0) {
    return std::nullopt;
  }
  return "the OpenCL loader does not honour OPENCL_LAYERS (ocl-icd since 2.3.0 does)";
}

namespace {

using Catch::Matchers::ContainsSubstring;

// Returns the output of a command, which must succeed.
std::string printed(const std::string& command) {
  const ProgramResult result = run_program(command);
  INFO(command << "\n" << result.error);
  CHECK(result.exit_code == 0);
  return result.out;
}

std::string tuned(const std::string& path) {
  const ProgramResult result = run_program(
      "tune --device 0 --shapes 32x32x32 --ops nn --budget 10h --candidates 4 --rounds 3 "
      "--activations none --seed 7 --output " +
      path);
  INFO(result.error);
  REQUIRE(result.exit_code == 0);
  check_first_plans(path);
  CHECK_THAT(result.error, ContainsSubstring("host's clock"));
  return path;
}

TEST_CASE("no timers: a tuning measures wall times, and its profile says so") {
  const TemporaryFolder folder;
  const std::string profile = tuned(folder.file("wall.toml"));
  CHECK_FALSE(load_profile(profile).rates.event_time);
  printed("verify --device 0 " + profile);
}

TEST_CASE("no timers: a driver that reports timers but rejects them is treated alike") {
  const ScopedVariable claimed("TILEWRIGHT_TIMERS", "claimed");
  const TemporaryFolder folder;
  tuned(folder.file("wall.toml"));
}

TEST_CASE("no timers: benchmarks run and name their clock") {
  const auto points = nlohmann::json::parse(
      printed("bench --device 0 --points blockedNT --shapes 40x40x40 --seconds 0.1 --json"));
  CHECK_THAT(points["conditions"]["timing"].get<std::string>(), ContainsSubstring("wall time"));
  const auto figure = figure_in(points["results"][0], "kernel", "blockedNT");
  REQUIRE_FALSE(figure.is_null());
  CHECK(figure["rate"]["median"] > 0.0);
  printed("bench --device 0 --shapes 40x40x40 --ops nn --seconds 0.1 --all-plans");
  printed("net bench preset:partial-mnist --device 0 --batch 3 --seconds 0.1");
}

TEST_CASE("no timers: commands that require timers are rejected, and the doctor reports it") {
  const ProgramResult cold = run_program(
      "tune --device 0 --shapes 8x8x8 --caches cold --budget 10h --candidates 1 "
      "--output " +
      scratch_folder() + "/cold.toml");
  CHECK(cold.exit_code == 2);
  CHECK_THAT(cold.error, ContainsSubstring("--caches cold"));
  CHECK_THAT(run_program("doctor").out, ContainsSubstring("event timestamps"));
  CHECK_THAT(printed("devices --measure"), ContainsSubstring("wall times"));
}

}  // namespace
}  // namespace tilewright
