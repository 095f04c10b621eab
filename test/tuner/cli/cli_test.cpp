// Tests of the program's messages and exit codes that need no device.
#include <algorithm>
#include <fstream>
#include <set>

#include "catch.hpp"
#include "cli_checks.hpp"

namespace tilewright {
namespace {

TEST_CASE("help and version") {
  CHECK(run_program("--help").exit_code == 0);
  for (const char* command :
       {"doctor", "devices", "tune", "show", "check", "emit", "space", "bench", "merge", "report",
        "profiles", "explain", "verify", "starter", "mlp", "mlp tune"}) {
    const ProgramResult help = run_program(std::string(command) + " --help");
    CHECK(help.exit_code == 0);
    const std::string word = std::string(command).substr(0, std::string(command).find(' '));
    CHECK(contains(run_program("--help").out, word));
    CHECK(contains(help.out, "\nUsage: tilewright " + std::string(command)));
    CHECK(contains(help.out, "-h, --help"));
  }
  // Groups of options, names of values and defaults.
  const std::string tune = run_program("tune --help").out;
  CHECK(contains(tune, "\nSearch:\n"));
  CHECK(contains(tune, "\n  --budget TIME "));
  CHECK(contains(tune, "[default: 10m]\n"));
  CHECK(contains(tune, "\nOther options:\n"));
  CHECK(contains(tune, "\nExamples:\n"));
  CHECK(contains(run_program("merge --help").out,
                 "Usage: tilewright merge --output FILE [OPTIONS] JOURNAL...\n"));
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

TEST_CASE("usage errors name the wrong argument") {
  check_refused("", "Usage:");
  check_refused("tuna", "tuna");
  check_refused("tune --bugdet 2m", "--bugdet");
  check_refused("tune --no-starting-points --strategy known",
                "--no-starting-points: cannot be used with --strategy");
  check_refused("tune --no-starting-points --warm-start x", "--no-starting-points");
  check_refused("tune --shapes 3x4", "--shapes: '3x4'");
  check_refused("tune --shapes /no/such/file", "/no/such/file");
  check_refused("tune --ops nn,tt", "--ops: 'TT'");
  check_refused("tune --budget soon", "--budget: 'soon' is not a duration");
  check_refused("tune --max-dispatch soon", "--max-dispatch: 'soon' is not a duration");
  check_refused("tune --launch-deadline 0", "--launch-deadline: '0' is not a duration");
  check_refused("tune --only tile_m", "--only: 'tile_m' is not of the form");
  check_refused("tune --candidates -1", "--candidates: -1 is not a whole number from 0");
  check_refused("mlp tune preset:full-mnist --rounds 501",
                "--rounds: 501 is not a whole number from 0");
  check_refused("tune --max-kernels -3", "--max-kernels: -3 is not a whole number from 0");
  check_refused("tune --activations relu,softmax",
                "--activations: 'softmax' is not one of identity");
  check_refused("mlp", "mlp: a command is missing; choose one of info");
  check_refused("mlp tune", "MODEL is required");
  check_refused("mlp tune preset:large-mnist", "large-mnist");
  check_refused("mlp tune preset:full-mnist --batch 0",
                "--batch: '0' is not a whole number from 1");
  check_refused("mlp tune preset:full-mnist --budget soon", "--budget: 'soon' is not a duration");
  check_refused("tune --compilers -7", "--compilers: -7 is not a whole number from -1");
  check_refused("tune --compilers 500", "--compilers: 500 is not a whole number from -1");
  check_refused("tune --seed many", "--seed");
  for (const char* seed : {"18446744073709551616", "99999999999999999999999", "-1", "0x10", "010",
                           "1.5", "+1", "' 1'"}) {
    check_refused("tune --dry-run --limits mali-t628 --seed " + std::string(seed),
                  "is not a whole number from 0 to 18446744073709551615");
  }
  check_refused("tune --max-kernels 99999999999999999999", "is not a whole number from -9");
  check_refused("explain --profile builtin --shape 8x8x8 --alpha nan",
                "'nan' is not a finite number");
  check_refused("explain --profile builtin --shape 8x8x8 --beta 1e99", "is not a finite number");
  check_refused("tune --limits mali-t628", "--limits: works only with --dry-run");
  check_refused("tune --dry-run --device 0 --limits mali-t628", "--limits");
  check_refused("bench --compare mkl", "--compare: 'mkl' is not one of builtin, cblas, clblast");
  check_refused("bench --compare exec:", "--compare: 'exec:' is not one of builtin");
  check_refused("bench --seconds soon", "--seconds: 'soon' is not a duration");
  check_refused("bench --packs --compare cblas", "--packs");
  check_refused("bench --packs --shapes 8x8x8", "--packs");
  check_refused("bench --packs --all-plans", "--packs");
  check_refused("bench --shapes 0x1x1", "--shapes: '0x1x1'");
  check_refused("show", "PROFILE is required");
  check_refused("emit --set tile_m=5", "tile_m is '5', but must be one of");
  check_refused("emit --set tile_m=2 tile_m=2", "tile_m is set twice");
  check_refused("emit --set bogus=1",
                "gemm has no parameter 'bogus'; it has precision, layout_a, ");
  check_refused("emit --set tile_m=2 --precision x", "--precision: 'x' is not one of s, d, h");
  check_refused("emit --generic --precision h", "--precision");
  check_refused("tune --precision s,s", "--precision: 's,s' names s twice");
  check_refused("tune --precision s,h", "--precision: a list of types needs --output or --profile");
  check_refused("tune --precision s,h --output x.toml --journal y",
                "--journal: cannot be used with a list of types");
  check_refused("emit --set gemv tile_n=2", "gemv has no parameter 'tile_n'");
  check_refused("emit --set tile_m=2 --point blockedNT", "--point");
  check_refused("emit --generic --list-points", "--generic");
  check_refused("emit --list-points --limits mali-t628", "--limits");
  check_refused("emit --limits mali-t628 --set work_group_m=256 work_group_n=2",
                "this kernel does not fit mali-t628: work_group_fits (the work-group exceeds");
  check_refused("starter --limits mali-t628 --output x", "--kernels is required");
  check_refused("starter --limits mali-t628 --kernels /no/such/file --output x",
                "--kernels: /no/such/file: ");
  check_refused("emit --point nobody", "--point: 'nobody' is not one of scalarNN, scalarNT, ");
  check_refused("bench --points nobody", "--points: 'nobody' is not one of scalarNN, ");
  check_refused("bench --points published --compare cblas", "--compare");
  check_refused("space --codelet sgemm",
                "--codelet: 'sgemm' is not one of gemm, gemv, pack, reduce, ");
  check_refused("space --op nn,nt", "--op: expected one combination of transposes");
  check_refused("space --codelet pack --op nn", "--op: pack kernels have no transposes");
  check_refused("space --device 0 --limits x", "--limits");
  check_refused("bench --all-plans --points published", "--points");
  check_refused("explain --shape 1x1x1", "--profile is required");
  check_refused("explain --profile builtin", "--shape is required");
  check_refused("explain --profile builtin --shape 1x1", "--shape: '1x1' is not a shape");
  check_refused("explain --profile builtin --shape 8x8x8 --op nn,nt",
                "--op: expected one combination");
  check_refused("explain --profile builtin --shape 8x8x8 --lda 7", "leading dimension of A is 7");
  check_refused("explain --profile builtin --shape 8x8x8",
                "name a device with --device or --limits");
  check_refused("explain --profile builtin --shape 8x8x8 --device 0 --limits x", "--limits");
  check_refused("verify", "PROFILE is required");
  check_refused("merge", "JOURNAL is required");
  check_refused("merge a.journal.jsonl", "--output");
  check_refused("merge a a --output b", "journal a is given twice");
  check_refused("tune --strategy annealing",
                "--strategy: 'annealing' is not one of auto, exhaustive, random");
}

TEST_CASE("every error of the command line has the program's form, with a suggestion") {
  for (const auto& [arguments, message] :
       {std::pair{"tunee",
                  "tilewright: unknown command 'tunee'; did you mean 'tune'? see 'tilewright "
                  "--help'\n"},
        {"dev",
         "tilewright: unknown command 'dev'; did you mean 'devices'? see 'tilewright --help'"},
        {"frobnicate", "tilewright: unknown command 'frobnicate'; see 'tilewright --help'"},
        {"work", "tilewright: unknown command 'work'; see 'tilewright --help'"},  // is hidden
        {"--versoin", "tilewright: unknown option '--versoin'; did you mean '--version'? "},
        {"tune --bugdet 2m",
         "tilewright: tune: unknown option '--bugdet'; did you mean "
         "'--budget'? see 'tilewright tune --help'\n"},
        {"tune --bugdet=2m", "tilewright: tune: unknown option '--bugdet'; did you mean '--budget"},
        {"tune --frobnicate",
         "tilewright: tune: unknown option '--frobnicate'; see 'tilewright "
         "tune --help'"},
        {"tune -q", "tilewright: tune: unknown option '-q'; see 'tilewright tune --help'"},
        {"mlp tunee",
         "tilewright: mlp: unknown command 'tunee'; did you mean 'tune'? see 'tilewright mlp "
         "--help'\n"},
        {"mlp run preset:full-mnist --inptu x.npy",
         "tilewright: mlp run: unknown option '--inptu'; did you mean '--input'? "},
        {"explain --profiel builtin", "tilewright: explain: unknown option '--profiel'; did you "},
        {"explain --shape 1x1x1",
         "tilewright: explain: --profile is required; see 'tilewright explain --help'\n"},
        {"devices now",
         "tilewright: devices: unexpected argument 'now'; see 'tilewright devices --help'"},
        {"tune --budget",
         "tilewright: tune: --budget: its value is missing; see 'tilewright tune "
         "--"},
        {"tune --seed many", "tilewright: tune: --seed: 'many' is not a whole number"}}) {
    INFO(arguments);
    const ProgramResult result = run_program(arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    INFO(result.error);
    CHECK(result.error.rfind(message, 0) == 0);
    CHECK(std::count(result.error.begin(), result.error.end(), '\n') == 1);
  }
}

TEST_CASE("an empty value is rejected for every option and argument") {
  for (const char* arguments : {"tune --profile ''",
                                "tune --device '' --dry-run",
                                "tune --shapes ''",
                                "tune --journal ''",
                                "tune --output ''",
                                "tune --seed ''",
                                "tune --budget ''",
                                "tune --only ''",
                                "tune --warm-start ''",
                                "mlp tune preset:full-mnist --profile ''",
                                "mlp tune ''",
                                "bench --profile ''",
                                "bench --compare ''",
                                "bench --seconds ''",
                                "bench --points ''",
                                "mlp bench preset:full-mnist --device ''",
                                "mlp run preset:full-mnist --input ''",
                                "mlp info ''",
                                "mlp convert '' x.json",
                                "show ''",
                                "show x.toml --kernel ''",
                                "check ''",
                                "verify ''",
                                "emit --limits ''",
                                "emit --set ''",
                                "emit --point ''",
                                "space --limits mali-t628 --op ''",
                                "space --limits ''",
                                "merge '' --output x",
                                "report '' --output x",
                                "profiles ''",
                                "report x.toml --bench '' --output x",
                                "merge x --output ''",
                                "doctor --root ''",
                                "explain --profile '' --shape 8x8x8",
                                "starter --limits '' --kernels x --output x"}) {
    check_refused(arguments, "the value must not be empty");
  }
  // The value of the next option is not used instead.
  check_refused("bench --profile= --shapes 8x8x8", "--profile: the value must not be empty");
  check_refused("mlp tune preset:full-mnist --output=", "--output: the value must not be empty");
}

TEST_CASE("a duration has each unit at most once, and a plain number is in seconds") {
  for (const char* option :
       {"tune --budget", "tune --max-dispatch", "tune --build-deadline", "tune --launch-deadline",
        "mlp tune preset:full-mnist --budget", "bench --seconds",
        "bench --points published --seconds", "mlp bench preset:full-mnist --seconds"}) {
    check_refused(option + std::string(" 1h1h"), "'1h1h' is not a duration");
  }
  for (const char* command : {"tune", "mlp tune", "bench", "mlp bench"}) {
    CHECK(contains(run_program(std::string(command) + " --help").out, "or a number of seconds"));
  }
  CHECK(run_program("tune --dry-run --limits mali-t628 --shapes 8x8x8 --ops nn --budget 40 "
                    "--seed 18446744073709551615")
            .exit_code == 0);
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
  CHECK(contains(all.out, "built-in kernel, never measured"));
  const ProgramResult json = run_program(call + limits_file(256) + " --ldc 96 --json");
  CHECK(contains(json.out, "\"ldc\": 96"));
  CHECK(contains(json.out, "\"fate\": \"runs\""));
  // Work-groups that are too large for the device are not considered.
  const ProgramResult few = run_program(call + limits_file(1));
  REQUIRE(few.exit_code == 0);
  CHECK(few.out.size() < all.out.size());
}

TEST_CASE("the name of a known device can be used instead of a limits file") {
  const ProgramResult space = run_program("space --limits mali-t628");
  CHECK(space.exit_code == 0);
  CHECK(contains(space.out, "search space of 'gemm' on mali-t628"));
  CHECK(contains(space.out,
                 "Mali-T628: midgard, 4 compute units, each with 8 multiply-adds per clock"));
  CHECK(contains(space.out, "up to 8 registers of 4 floats: 128 work-items per compute unit"));
  CHECK(contains(run_program("space --limits mali-g610 --json").out, "\"name\": \"Mali-G610\""));
  const ProgramResult emit = run_program("emit --limits mali-t628 --point blockedNT");
  CHECK(contains(emit.out, "// Predictions for mali-t628, not measured:\n"));
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
  CHECK(contains(unknown.error, "the known devices are adreno-640, "));
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
  CHECK(contains(five.error, "--only: tile_m: '5' is not one of the searched values: 1, 2"));

  std::ofstream(limits, std::ios::app) << "colour = 3\n";
  const ProgramResult refused = run_program("space --limits " + limits);
  CHECK(refused.exit_code == 1);
  CHECK(contains(refused.error, limits + ":9: colour: is an unknown key"));
}

}  // namespace
}  // namespace tilewright
