// Tests of the program on a device: devices, verify, bench and space.
// (tune_cli_device_test.cpp tests tune.)
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli_checks.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"
#include "scoped_variable.hpp"

namespace tilewright {
namespace {

TEST_CASE("devices are listed as text and as JSON") {
  const auto json = nlohmann::json::parse(run_program("devices --json").out);
  REQUIRE(json.size() >= 1);
  CHECK(json[0]["index"] == 0);
  const std::string text = run_program("devices").out;
  CHECK(contains(text, "0: " + json[0]["name"].get<std::string>()));
  const std::size_t cpus = std::count_if(
      json.begin(), json.end(), [](const auto& device) { return device["type"] == "cpu"; });
  for (std::size_t i = 0; i < json.size(); ++i) {
    INFO(json[i]);
    nlohmann::json teams = nlohmann::json::array();
    const bool has_team_of_devices = json.size() > 1;
    const bool has_team_with_host = json[i]["type"] != "cpu";
    REQUIRE(json[i]["teams"].size() ==
            (has_team_of_devices ? 1U : 0U) + (has_team_with_host ? 1U : 0U));
    for (const auto& team : json[i]["teams"]) {
      const bool has_host = team["host_cblas"];
      CHECK(team["devices"].size() == json.size() - (has_host ? cpus : 0U));
      CHECK(std::count(team["devices"].begin(), team["devices"].end(), i) == 1);
    }
  }
  CHECK(contains(text, "teams: ") == (json.size() > 1 || cpus == 0));
}

TEST_CASE("devices are measured as text and as JSON") {
  const ProgramResult text = run_program("devices --measure");
  CHECK(text.exit_code == 0);
  CHECK(contains(text.out, "   round trip  "));
  CHECK(contains(text.out, "   width   expression "));
  const auto json = nlohmann::json::parse(run_program("devices --measure --json").out);
  const auto& rates = json[0]["rates"];
  CHECK(rates["peak_gflops"] > 0.0);
  CHECK(rates["copy_gbytes_per_s"] > 0.0);
  CHECK(rates["event_time"] == true);
  const std::size_t types = 1U + (rates["double_peak_gflops"] > 0.0 ? 1U : 0U) +
                            (rates["half_peak_gflops"] > 0.0 ? 1U : 0U);
  CHECK(rates["multiply_adds"].size() == 15 * types);
  CHECK((rates["half_peak_gflops"] > 0.0) != rates["half_is_emulated"].get<bool>());
  CHECK(contains(text.out, "peak of h "));
}

TEST_CASE("an unknown device is rejected with a list of the known ones") {
  const ProgramResult number = run_program("tune --device 99");
  CHECK(number.exit_code == 2);
  CHECK(contains(number.error, "no device 99"));
  const ProgramResult name = run_program("bench --device no-such-device");
  CHECK(name.exit_code == 2);
  CHECK(contains(name.error, "'no-such-device'"));
}

TEST_CASE("without a driver every command says what to install") {
  // Set to a folder without drivers, because the machine's own setting may lead to its GPU.
  const ScopedVariable vendors("OCL_ICD_VENDORS", (scratch_folder() + "/none").c_str());
  const ProgramResult devices = run_program("devices");
  const ProgramResult tune = run_program("tune");
  CHECK(devices.exit_code == 0);
  CHECK(contains(devices.out, "no OpenCL device"));
  CHECK(tune.exit_code == 2);
  CHECK(contains(tune.error, "no OpenCL device"));
}

TEST_CASE("verify builds the kernels of a profile, and names a wrong kernel") {
  Profile profile = built_in_profile({});
  const std::string file = scratch_folder() + "/broken.toml";
  std::ofstream(file) << write_profile(profile);
  CHECK(run_program("verify --device 0 " + file).exit_code == 0);
  profile.kernels.back().source += "\nthis is no OpenCL C\n";
  std::ofstream(file) << write_profile(profile);
  const ProgramResult verify = run_program("verify --device 0 --json " + file);
  INFO(verify.error);
  CHECK(verify.exit_code == 1);
  const auto json = nlohmann::json::parse(verify.out);
  CHECK(json["all_right"] == false);
  REQUIRE(json["kernels"].size() == profile.kernels.size());
  for (const auto& kernel : json["kernels"]) {
    const bool broken = kernel["kernel"] == profile.kernels.back().name;
    CHECK(kernel["verdict"] == (broken ? "does not build" : "right"));
  }
}

TEST_CASE("named points are measured together") {
  const ProgramResult bench = run_program(
      "bench --device 0 --points blockedNN,scalarNN --shapes 32x32x32,64x32x16 --seconds 100ms "
      "--json");
  INFO(bench.error);
  REQUIRE(bench.exit_code == 0);
  const auto json = nlohmann::json::parse(bench.out);
  REQUIRE(json["results"].size() == 2);
  for (const auto& result : json["results"]) {
    REQUIRE(result["figures"].size() == 2);
    CHECK(result["figures"][0]["name"] == "blockedNN");
    CHECK(result["figures"][1]["name"] == "scalarNN");
    const auto& blocked = result["figures"][0];
    if (blocked["us"].is_null()) continue;  // the device cannot run it: "missing" has the reason
    CHECK(blocked["rate"]["low"] <= blocked["rate"]["median"]);
    CHECK(blocked["samples"] >= 5);
  }
  const ProgramResult table =
      run_program("bench --device 0 --points scalarNT --shapes 16x16x16 --seconds 100ms");
  CHECK(table.exit_code == 0);
  CHECK(contains(table.out, "\n16x16x16\n"));
  CHECK(contains(table.out, "\n  scalarNT "));
}

TEST_CASE("the points of a device's space are counted") {
  const ProgramResult space = run_program("space --device 0 --json");
  INFO(space.error);
  REQUIRE(space.exit_code == 0);
  const auto json = nlohmann::json::parse(space.out);
  std::int64_t points = json["valid"];
  for (const auto& rule : json["excluded"]) points += rule["points"].get<std::int64_t>();
  CHECK(points == json["product"]);
}

TEST_CASE("a profile that cannot be read is not benchmarked") {
  const ProgramResult bench =
      run_program("bench --device 0 --profile /no/such/profile.toml --shapes 8x8x8");
  CHECK(bench.exit_code == 1);
  CHECK(contains(bench.error, "/no/such/profile.toml"));
}

TEST_CASE("lost output of devices and doctor is reported") {
  for (const char* command : {"devices", "doctor"}) {
    INFO(command);
    const ProgramResult lost = run_program(command, ">/dev/full");
    CHECK(lost.exit_code == 1);
    CHECK(contains(lost.error, "standard output"));
  }
}

}  // namespace
}  // namespace tilewright
