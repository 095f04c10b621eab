// Tests what `tilewright bench` reports about kernels that crash their process because of an
// injected fault. (bench_cli_device_test.cpp has kernels that crash by themselves.)
#include <nlohmann/json.hpp>

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
    CHECK(row["gflops"]["scalarNN"]["median"] > 0.0);
    CHECK(row["gflops"]["scalarNT"].is_null() == (row["m"] != 32));
  }
}

TEST_CASE(
    "a driver that dies while building a kernel is reported, and other products are measured") {
  const Faults faults("build_crash entry~sgemm_R_C\n");
  const ProgramResult bench = run_program(
      "bench --device 0 --profile builtin --seconds 100ms --shapes 16x24x40 --ops nn,nt,tn");
  INFO(bench.error);
  CHECK(bench.exit_code == 1);
  CHECK_THAT(bench.out, ContainsSubstring("NN  16x24x40") && ContainsSubstring("TN  16x24x40"));
  CHECK_THAT(bench.error,
             ContainsSubstring(
                 "while it was building or checking the kernels that serve NT 16x24x40, first "
                 "of all sgemm_R_C_"));
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
  CHECK_THAT(plan.out, ContainsSubstring("NN  16x24x40"));
  // A kernel that is not launched causes no waiting.
  CHECK(run_program(bench + " --ops nn").exit_code == 0);
}

}  // namespace
}  // namespace tilewright
