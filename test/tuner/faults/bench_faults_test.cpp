// What does `tilewright bench` say of kernels that take their process down? (Kernels that do so by
// themselves are in bench_cli_device_test.cpp.)
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "fault_run.hpp"
#include "run_program.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("a point that crashes ends the benchmark of points, and sizes before it are printed") {
  // The second size has 64 times the work-items of the first.
  const Faults faults("launch_crash entry~sgemm&items>20000\n");
  const std::string command =
      "bench --device 0 --points scalarNN --seconds 1s --shapes 32x32x32,256x256x32";
  const ProgramResult table = run_program(command);
  CHECK(table.exit_code == 1);
  CHECK_THAT(table.out, Contains("32x32x32") && !Contains("256x256x32"));
  CHECK_THAT(table.error,
             Contains("died of SIG") && Contains("while it was running scalarNN on 256x256x32"));
  const ProgramResult json = run_program(command + " --json");
  CHECK(json.exit_code == 1);
  CHECK(nlohmann::json::parse(json.out)["results"].size() == 1);
}

TEST_CASE("a driver that dies of a kernel's build ends bench with a sentence") {
  const Faults faults("build_crash entry~sgemm_R_C\n");
  const ProgramResult bench =
      run_program("bench --device 0 --profile builtin --seconds 1s --shapes 16x24x40 --ops nn,nt");
  CHECK(bench.exit_code == 1);
  CHECK_THAT(bench.out, Contains("NN  16x24x40"));
  CHECK_THAT(bench.error,
             Contains("while it was building or checking the kernels that serve NT 16x24x40, first "
                      "of all sgemm_R_C_"));
}

TEST_CASE("a launch that does not come back ends bench with a sentence") {
  const Faults faults("launch_hang entry~sgemm_R_C\n");
  const std::string bench =
      "bench --device 0 --profile builtin --seconds 1s --shapes 16x24x40 --launch-deadline 2s";
  const ProgramResult plan = run_program(bench + " --all-plans --ops nt");
  CHECK(plan.exit_code == 1);
  CHECK_THAT(plan.error, Contains("was silent for") && Contains("while it was running sgemm_R_C_"));
  // Nobody waits for what is not launched.
  CHECK(run_program(bench + " --ops nn").exit_code == 0);
}

}  // namespace
}  // namespace tilewright
