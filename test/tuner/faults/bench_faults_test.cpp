// Tests that `tilewright bench` and `net bench` report kernels that crash or hang the process.
// (Kernels whose own code does so are in bench_cli_device_test.cpp.)
#include <nlohmann/json.hpp>

#include "bench_figures.hpp"
#include "catch.hpp"
#include "fault_run.hpp"
#include "run_program.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a point that crashes is named and left out, and the others are measured") {
  // The second size has 64 times the work-items of the first.
  const Faults faults("launch_crash entry~sgemm_R_C&items>20000\n");
  const std::string command =
      "bench --device 0 --points scalarNN,scalarNT --seconds 100ms "
      "--shapes 32x32x32,256x256x32,48x48x32";
  const ProgramResult table = run_program(command);
  INFO(table.error);
  CHECK(table.exit_code == 1);
  CHECK_THAT(table.out, ContainsSubstring("32x32x32") && ContainsSubstring("256x256x32") &&
                            ContainsSubstring("48x48x32"));
  CHECK_THAT(table.out, ContainsSubstring("- scalarNT on 256x256x32: the worker died of SIG"));
  const ProgramResult result = run_program(command + " --json");
  CHECK(result.exit_code == 1);
  const auto json = nlohmann::json::parse(result.out);
  REQUIRE(json["results"].size() == 3);
  for (const auto& row : json["results"]) {
    CHECK(figure_in(row, "kernel", "scalarNN")["rate"]["median"] > 0.0);
    CHECK(figure_in(row, "kernel", "scalarNT")["us"].is_null() == (row["m"] != 32));
  }
}

TEST_CASE(
    "a driver that dies while building a kernel is reported, and other products are measured") {
  const Faults faults("build_crash entry~sgemm_R_C\n");
  const ProgramResult bench = run_program(
      "bench --device 0 --profile builtin --seconds 100ms --shapes 16x24x40 --ops nn,nt,tn");
  INFO(bench.error);
  CHECK(bench.exit_code == 1);
  CHECK_THAT(bench.out, ContainsSubstring("\n16x24x40 ") && ContainsSubstring(") "));
  CHECK_THAT(bench.error, ContainsSubstring("NT 16x24x40"));
}

TEST_CASE("a launch that does not return is reported, and the others are measured") {
  const Faults faults("launch_hang entry~sgemm_R_C\n");
  const std::string bench =
      "bench --device 0 --profile builtin --seconds 100ms --shapes 16x24x40 --launch-deadline 2s";
  const ProgramResult plan = run_program(bench + " --all-plans --ops nt,nn");
  INFO(plan.error);
  CHECK(plan.exit_code == 1);
  CHECK_THAT(plan.error, ContainsSubstring("was silent for") &&
                             ContainsSubstring("while it was running sgemm_R_C_"));
  CHECK_THAT(plan.out, ContainsSubstring("NN 16x24x40"));
  // A kernel that is not launched causes no waiting.
  CHECK(run_program(bench + " --ops nn").exit_code == 0);
}

TEST_CASE("a network whose process crashes is reported once, and other batches continue") {
  // A batch of one row has a thousandth of the work-items.
  const Faults faults("launch_crash entry~activation&items>10000\n");
  const std::string command =
      "net bench preset:partial-mnist --device 0 --profile builtin --batch 1000,1 --seconds 100ms";
  const ProgramResult table = run_program(command);
  INFO(table.error);
  CHECK(table.exit_code == 1);
  CHECK_THAT(table.out, ContainsSubstring("\nbatch 1000\n") && ContainsSubstring("\nbatch 1\n") &&
                            ContainsSubstring("\nprofile: built-in"));
  CHECK_THAT(table.error, ContainsSubstring("the measuring process died of SIG") &&
                              ContainsSubstring("batch 1000"));
  const ProgramResult result = run_program(command + " --json");
  CHECK(result.exit_code == 1);
  const auto json = nlohmann::json::parse(result.out);
  CHECK(json["missing"].size() == 1);
  REQUIRE(json["results"].size() == 2);
  CHECK(figure_in(json["results"][0], "tilewright").is_null());
  CHECK(figure_in(json["results"][0], "step").is_null());
  CHECK_FALSE(figure_in(json["results"][0], "launch_floor").is_null());
  CHECK_FALSE(figure_in(json["results"][1], "tilewright").is_null());
}

}  // namespace
}  // namespace tilewright
