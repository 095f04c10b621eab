// `tilewright bench` on a device: rivals that are programs, the launch floor, packing.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "run_program.hpp"
#include "scoped_variable.hpp"

namespace tilewright {
namespace {

const std::string kRival = std::string("exec:") + TILEWRIGHT_FAKE_RIVAL;

TEST_CASE("a program competes, and is checked") {
  const std::string command = "bench --device 0 --profile builtin --json --rivals " + kRival;
  const ProgramResult bench = run_program(command + " --shapes 16x24x40,17x5x9 --ops nn,nt,tn,tt");
  INFO(bench.error);
  REQUIRE(bench.exit_code == 0);
  const auto json = nlohmann::json::parse(bench.out);
  CHECK(json["rival_details"][kRival].get<std::string>().starts_with("naive product for "));
  CHECK(json["command"].get<std::string>().starts_with("tilewright bench --device 0"));
  REQUIRE(json["results"].size() == 8);
  for (const auto& result : json["results"]) {
    CHECK(result["rivals"][kRival]["median"] > 0.0);
    CHECK(result["launch_floor_us"]["median"] > 0.0);
    CHECK(result["launch_share"] > 0.0);
  }
}

TEST_CASE("a program that computes nothing is not measured") {
  const ScopedVariable idle("TILEWRIGHT_FAKE_RIVAL", "run=idle");
  const ProgramResult bench =
      run_program("bench --device 0 --profile builtin --shapes 8x8x8 --ops nn --rivals " + kRival);
  CHECK(bench.exit_code == 1);
  CHECK(bench.error.find("fake_rival computes C(") != std::string::npos);
}

TEST_CASE("pack kernels are measured beside a copy") {
  const ProgramResult bench = run_program("bench --device 0 --profile builtin --packs --json");
  INFO(bench.error);
  REQUIRE(bench.exit_code == 0);
  const auto json = nlohmann::json::parse(bench.out);
  REQUIRE(json["packs"].size() == 2);
  CHECK(json["packs"][0]["rows"] == 1000);
  CHECK(json["packs"][1]["rows"] > 1000);
  for (const auto& size : json["packs"]) {
    CHECK(size["copy_gbytes_per_s"]["median"] > 0.0);
    for (const auto& row : size["kernels"]) CHECK(row["share_of_copy"] > 0.0);
  }
}

}  // namespace
}  // namespace tilewright
