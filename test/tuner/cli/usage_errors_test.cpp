// Tests of the messages for wrong arguments, without a device.
#include <algorithm>
#include <string>
#include <utility>

#include "cli_checks.hpp"

namespace tilewright {
namespace {

TEST_CASE("usage errors name the wrong argument") {
  check_refused("", "Usage:");
  check_refused("tuna", "tuna");
  check_refused("tune --bugdet 2m", "--bugdet");
  check_refused("tune --no-starting-points --strategy known",
                "--no-starting-points: cannot be used");
  check_refused("tune --no-starting-points --warm-start x", "--no-starting-points");
  check_refused("tune --shapes 3x4", "--shapes: '3x4'");
  check_refused("tune --shapes /no/such/file", "/no/such/file");
  check_refused("tune --ops nn,tt", "--ops: 'TT'");
  check_refused("tune --budget soon", "'soon' is not a duration");
  check_refused("tune --max-dispatch soon", "--max-dispatch: 'soon'");
  check_refused("tune --launch-deadline 0", "--launch-deadline: '0'");
  check_refused("tune --only tile_m", "--only: 'tile_m'");
  check_refused("tune --candidates -1", "--candidates: -1");
  check_refused("net tune preset:full-mnist --rounds 501", "--rounds: 501");
  check_refused("tune --max-kernels -3", "--max-kernels: -3");
  check_refused("tune --activations relu,softmax", "--activations: 'softmax'");
  check_refused("net", "subcommand is required");
  check_refused("net tune", "MODEL is required");
  check_refused("net tune preset:large-mnist", "large-mnist");
  check_refused("net tune preset:full-mnist --batch 0", "--batch: '0'");
  check_refused("net tune preset:full-mnist --budget soon", "'soon' is not a duration");
  check_refused("tune --compilers -7", "--compilers: -7");
  check_refused("tune --compilers 500", "--compilers: 500");
  check_refused("tune --seed many", "--seed");
  for (const char* seed : {"18446744073709551616", "99999999999999999999999", "-1", "0x10", "010",
                           "1.5", "+1", "' 1'"}) {
    check_refused("tune --dry-run --limits mali-t628 --seed " + std::string(seed),
                  "18446744073709551615");
  }
  check_refused("tune --max-kernels 99999999999999999999", "not a whole number");
  check_refused("explain --profile builtin --shape 8x8x8 --alpha nan", "'nan'");
  check_refused("explain --profile builtin --shape 8x8x8 --beta 1e99", "finite");
  check_refused("tune --limits mali-t628", "--limits: works only");
  check_refused("tune --dry-run --device 0 --limits mali-t628", "--limits");
  check_refused("bench --compare mkl", "--compare: 'mkl'");
  check_refused("bench --compare exec:", "--compare: 'exec:'");
  check_refused("bench --seconds soon", "--seconds: 'soon'");
  check_refused("bench --shapes 0x1x1", "--shapes: '0x1x1'");
  check_refused("show", "PROFILE is required");
  check_refused("emit --set tile_m=5", "tile_m is '5'");
  check_refused("emit --set tile_m=2 tile_m=2", "tile_m is set twice");
  check_refused("emit --set bogus=1", "'bogus'");
  check_refused("emit --set tile_m=2 --precision x", "--precision: 'x'");
  check_refused("emit --generic --precision h", "--precision");
  check_refused("tune --precision s,s", "--precision: 's,s'");
  check_refused("tune --precision s,h", "--precision: a list");
  check_refused("tune --precision s,h --output x.toml --journal y", "--journal: cannot be used");
  check_refused("emit --set gemv tile_n=2", "'tile_n'");
  check_refused("emit --set tile_m=2 --point blockedNT", "--point");
  check_refused("emit --generic --list-points", "--generic");
  check_refused("emit --list-points --limits mali-t628", "--limits");
  check_refused("emit --limits mali-t628 --set work_group_m=256 work_group_n=2", "work_group_fits");
  check_refused("starter --limits mali-t628 --output x", "--kernels is required");
  check_refused("starter --limits mali-t628 --kernels /no/such/file --output x",
                "--kernels: /no/such/file");
  check_refused("emit --point nobody", "--point: 'nobody'");
  check_refused("bench --points nobody", "--points: 'nobody'");
  check_refused("bench --points published --compare cblas", "--compare");
  check_refused("space --codelet sgemm", "--codelet: 'sgemm'");
  check_refused("space --op nn,nt", "--op: expected one");
  check_refused("space --codelet pack --op nn", "--op: pack kernels");
  check_refused("space --device 0 --limits x", "--limits");
  check_refused("bench --all-plans --points published", "--points");
  check_refused("explain --profile builtin", "--shape is required");
  check_refused("explain --profile builtin --limits mali-t628 1x1", "SHAPE: '1x1'");
  check_refused("explain --limits mali-t628 8x8x8 --op nn,nt", "--op: expected one");
  check_refused("explain --limits mali-t628 8x8x8 --lda 7", "A is 7");
  check_refused("explain --profile builtin --shape 8x8x8 --device 0 --limits x", "--limits");
  check_refused("verify", "PROFILE is required");
  check_refused("merge", "JOURNAL is required");
  check_refused("merge a.journal.jsonl", "--output");
  check_refused("merge a a --output b", "journal a");
  check_refused("tune --strategy annealing", "--strategy: 'annealing'");
}

TEST_CASE("every error of the command line is one line that names the argument") {
  for (const auto& [arguments, name] : {std::pair{"tunee", "'tunee'"},
                                        {"work", "'work'"},
                                        {"--versoin", "'--versoin'"},
                                        {"tune --bugdet 2m", "'--bugdet'"},
                                        {"tune --bugdet=2m", "'--bugdet=2m'"},
                                        {"tune -q", "'-q'"},
                                        {"net tunee", "'tunee'"},
                                        {"net run preset:full-mnist --inptu x.npy", "'--inptu'"},
                                        {"explain --profiel builtin", "'--profiel'"},
                                        {"explain", "--shape is required"},
                                        {"devices now", "'now'"},
                                        {"tune --budget", "--budget"},
                                        {"tune --seed many", "--seed"}}) {
    INFO(arguments);
    const ProgramResult result = run_program(arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    INFO(result.error);
    CHECK(result.error.starts_with("tilewright: "));
    CHECK(contains(result.error, name));
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
                                "net tune preset:full-mnist --profile ''",
                                "net tune ''",
                                "bench --profile ''",
                                "bench --compare ''",
                                "bench --seconds ''",
                                "bench --points ''",
                                "net bench preset:full-mnist --device ''",
                                "net run preset:full-mnist --input ''",
                                "net info ''",
                                "net convert '' x.json",
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
    check_refused(arguments, "must not be empty");
  }
  // The value of the next option is not used instead.
  check_refused("bench --profile= --shapes 8x8x8", "--profile: the value");
  check_refused("net tune preset:full-mnist --output=", "--output: the value");
}

TEST_CASE("a duration has each unit at most once, and a plain number is in seconds") {
  for (const char* option :
       {"tune --budget", "tune --max-dispatch", "tune --build-deadline", "tune --launch-deadline",
        "net tune preset:full-mnist --budget", "bench --seconds",
        "bench --points published --seconds", "net bench preset:full-mnist --seconds"}) {
    check_refused(option + std::string(" 1h1h"), "'1h1h'");
  }
  for (const char* command : {"tune", "net tune", "bench", "net bench"}) {
    CHECK(contains(run_program(std::string(command) + " --help").out, "number of seconds"));
  }
  CHECK(run_program("tune --dry-run --limits mali-t628 --shapes 8x8x8 --ops nn --budget 40 "
                    "--seed 18446744073709551615")
            .exit_code == 0);
}

}  // namespace
}  // namespace tilewright
