// Tests of the program without a device: help, explain, space and emit.
#include <algorithm>
#include <fstream>

#include "catch.hpp"
#include "cli_checks.hpp"

namespace tilewright {
namespace {

TEST_CASE("help and version") {
  CHECK(run_program("--help").exit_code == 0);
  for (const char* command :
       {"doctor", "devices",  "tune",     "show",     "check",     "emit",       "space",
        "bench",  "merge",    "report",   "profiles", "explain",   "verify",     "starter",
        "net",    "net tune", "net info", "net run",  "net bench", "net convert"}) {
    const ProgramResult help = run_program(std::string(command) + " --help");
    CHECK(help.exit_code == 0);
    const std::string word = std::string(command).substr(0, std::string(command).find(' '));
    CHECK(contains(run_program("--help").out, word));
    CHECK(contains(help.out, "\nUsage: tilewright " + std::string(command)));
    CHECK(contains(help.out, "-h,--help"));
  }
  // Groups of options, names of values and defaults.
  const std::string tune = run_program("tune --help").out;
  CHECK(contains(tune, "\nSearch:\n"));
  CHECK(contains(tune, "\n  --budget TIME "));
  CHECK(contains(tune, "[default: 10m]\n"));
  CHECK(contains(tune, "\nExamples:\n"));
  CHECK(
      contains(run_program("merge --help").out, "Usage: tilewright merge [OPTIONS] JOURNAL...\n"));
  for (const char* parameter :
       {"vector_width", "tile_narrow", "Parameters of reduce:", "Parameters of softmax:"}) {
    CHECK(contains(run_program("emit --help").out, parameter));
  }
  CHECK(run_program("--version").out.find("tilewright ") == 0);
}

TEST_CASE("commands that only the program itself uses are not in its help") {
  CHECK_FALSE(contains(run_program("--help").out, "worker"));
  check_refused("worker", "--channel is required");
}

// Writes a limits file for a device without images.
std::string limits_file(int max_work_group_size) {
  const std::string path = scratch_folder() + "/limits.toml";
  std::ofstream(path)
      << "max_work_group_size = " << max_work_group_size << "\n"
      << "max_work_item_sizes = [256, 256]\nmax_vector_width = 16\nregister_floats = 64\n"
      << "group_floats = 16384\nlocal_memory_bytes = 32768\n"
      << "local_memory_is_dedicated = false\nimage_support = false\n";
  return path;
}

TEST_CASE("explain names every plan and the one that is used, without a device") {
  const std::string call = "explain --profile builtin --shape 96x80x64 --op nt --limits ";
  const ProgramResult all = run_program(call + limits_file(256));
  INFO(all.error);
  REQUIRE(all.exit_code == 0);
  CHECK(contains(all.out, "NT 96x80x64, alpha 1, beta 0, ld 64 64 80"));
  CHECK(contains(all.out, "runs"));
  CHECK(contains(all.out, "next"));
  CHECK(contains(all.out, "never measured"));
  const ProgramResult json = run_program(call + limits_file(256) + " --ldc 96 --json");
  CHECK(contains(json.out, "\"ldc\": 96"));
  CHECK(contains(json.out, "\"fate\": \"runs\""));
  // Work-groups that are too large for the device are not considered.
  const ProgramResult few = run_program(call + limits_file(1));
  REQUIRE(few.exit_code == 0);
  CHECK(few.out.size() < all.out.size());
}

TEST_CASE("explain names the plan that runs on the device of a shipped profile") {
  for (const char* name : {"nvidia-h100", "nvidia-h200", "pocl-amd-epyc-avx512"}) {
    INFO(name);
    const ProgramResult plans = run_program(
        "explain --shape 512x512x512 --profile " TILEWRIGHT_DATA "/" + std::string(name) + ".toml");
    REQUIRE(plans.exit_code == 0);
    CHECK(contains(plans.out, "profile describes"));
    CHECK(contains(plans.out, "  runs  "));
    // What would run without the profile is known.
    CHECK_FALSE(contains(plans.out, "does not cover"));
  }
}

TEST_CASE("the name of a known device can be used instead of a limits file") {
  const ProgramResult space = run_program("space --limits mali-t628");
  CHECK(space.exit_code == 0);
  CHECK(contains(space.out, "'gemm' on mali-t628"));
  CHECK(contains(space.out, "Mali-T628: midgard, 4 compute units"));
  CHECK(contains(space.out, "up to 8 registers"));
  CHECK(contains(run_program("space --limits mali-g610 --json").out, "\"name\": \"Mali-G610\""));
  const ProgramResult emit = run_program("emit --limits mali-t628 --point blockedNT");
  CHECK(contains(emit.out, "mali-t628, not measured"));
  CHECK(contains(emit.out, "__kernel"));
  const ProgramResult plan =
      run_program("tune --dry-run --limits mali-t628 --budget 30s --ops nn --shapes paper");
  CHECK(plan.exit_code == 0);
  CHECK(plan.out.find("NN\t") == 0);
  CHECK(contains(plan.out, "\npacked\t"));
  CHECK(std::count(plan.out.begin(), plan.out.end(), '\n') == 2 * 13);
  const ProgramResult few = run_program(
      "tune --dry-run --limits mali-t628 --budget 30s --ops nn --shapes paper --candidates 7");
  CHECK(std::count(few.out.begin(), few.out.end(), '\n') == 7);
  const ProgramResult unknown = run_program("space --limits mali-t629");
  CHECK(unknown.exit_code == 1);
  CHECK(contains(unknown.error, "adreno-640"));
  for (const char* other : {"adreno-640", "amd-gfx803", "intel-gen9", "videocore-6"}) {
    INFO(other);
    const std::string limits = std::string(" --limits ") + other;
    CHECK(run_program("space --codelet pack" + limits).exit_code == 0);
    CHECK(contains(run_program("emit --set tile_m=4 tile_n=4" + limits).out, ", not measured:"));
    CHECK(run_program("tune --dry-run --budget 30s --ops nn" + limits).out.find("NN\t") == 0);
  }
}

TEST_CASE("emit prints the kernel of a point, and nothing else") {
  const ProgramResult scalar = run_program("emit");
  CHECK(scalar.exit_code == 0);
  CHECK(scalar.error.empty());
  CHECK(contains(scalar.out, "void sgemm_R_R_m1_n1("));
  const ProgramResult blocked = run_program("emit --set op=NT tile_m=2 --set tile_n=2 tile_k=4");
  CHECK(contains(blocked.out, "void sgemm_R_C_m2_n2_k4("));
}

TEST_CASE("emit prints the kernel of a named point, and lists the named points") {
  const ProgramResult blocked = run_program("emit --point blockedNN");
  CHECK(blocked.exit_code == 0);
  CHECK(contains(blocked.out, "void sgemm_R_R_m1_n4_k4_v4"));
  const ProgramResult list = run_program("emit --list-points");
  CHECK(list.exit_code == 0);
  CHECK(contains(list.out, "\nmorton-4-2: low-power thesis, Table 8.1"));
}

TEST_CASE(
    "space counts the points for a device that is not present, with the same result each time") {
  const std::string limits = scratch_folder() + "/limits.toml";
  std::ofstream(limits)
      << "max_work_group_size = 256\nmax_work_item_sizes = [256, 256]\n"
         "max_vector_width = 16\nregister_floats = 64\ngroup_floats = 65536\nlocal_memory_bytes = "
         "32768\n"
         "local_memory_is_dedicated = false\nimage_support = true\n";
  const ProgramResult table = run_program("space --limits " + limits);
  INFO(table.error);
  CHECK(table.exit_code == 0);
  CHECK(contains(table.out, "  combinations of parameter values\n"));
  CHECK(contains(table.out, "  valid\ndigest xxh3-"));
  CHECK(table.out == run_program("space --limits " + limits).out);
  for (const char* rest :
       {" --codelet gemv", " --codelet gemv --op nt", " --codelet pack", " --codelet pack --packed",
        " --codelet reduce", " --codelet gemv --json", " --only tile_m=4,8 --only inner=outer"}) {
    INFO(rest);
    const ProgramResult other = run_program("space --limits " + limits + rest);
    CHECK(other.exit_code == 0);
    CHECK(other.out != table.out);
  }

  const ProgramResult five = run_program("space --limits " + limits + " --only tile_m=5");
  CHECK(five.exit_code == 2);
  CHECK(contains(five.error, "--only: tile_m: '5'"));

  std::ofstream(limits, std::ios::app) << "colour = 3\n";
  const ProgramResult refused = run_program("space --limits " + limits);
  CHECK(refused.exit_code == 1);
  CHECK(contains(refused.error, limits + ":9: colour: is an unknown key"));
}

}  // namespace
}  // namespace tilewright
