// Tests of tunings on a device, and of what the other commands do with the profile.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench_figures.hpp"
#include "cli_checks.hpp"
#include "first_plans.hpp"
#include "library_runs.hpp"
#include "profiles/profile_text.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

// Checks that the kernels of this precision in a profile are used and correct.
void check_runs(const std::string& profile, const std::string& precision) {
  const std::string options = "--precision " + precision + " --profile " + profile;
  const ProgramResult bench = run_program(
      "bench --device 0 --seconds 100ms --shapes 24x40x16 --ops nn --compare builtin --json " +
      options);
  INFO(bench.error);
  REQUIRE(bench.exit_code == 0);
  const auto json = nlohmann::json::parse(bench.out);
  CHECK(json["conditions"]["precision"] == precision);
  const std::string kernel = precision + "ge";
  CHECK(contains(figure_in(json["results"][0], "tilewright")["kernels"].dump(), kernel));
  CHECK(figure_in(json["results"][0], "competitor", "builtin")["rate"]["median"] > 0.0);
  CHECK(contains(run_program("explain 24x40x16 " + options).out, kernel));
  CHECK(contains(run_program("show --all --precision " + precision + " " + profile).out,
                 "  " + kernel));
}

// Adds half-precision kernels to the profile, and double-precision ones if the device supports
// them, and checks that they are used and correct.
void check_other_types(const std::string& profile) {
  const ProgramResult lacks = run_program("verify --device 0 --precision h " + profile);
  CHECK(lacks.exit_code == 2);
  CHECK(contains(lacks.error, "tilewright tune --precision h --profile"));
  const auto tune = [&](const std::string& precisions) {
    return run_program("tune --device 0 --shapes 24x40x16 --ops nn --budget 20h --candidates 3 " +
                       ("--rounds 2 --precision " + precisions) + " --profile " + profile);
  };
  ProgramResult tuning = tune("h,d");
  const bool no_doubles = contains(tuning.error, "cl_khr_fp64");
  if (no_doubles) {
    // If one of several precisions is not supported, none is tuned.
    CHECK(tuning.exit_code == 2);
    CHECK(run_program("verify --device 0 --precision h " + profile).exit_code == 2);
    tuning = tune("h");
  }
  INFO(tuning.error);
  REQUIRE(tuning.exit_code == 0);
  const Profile tuned = load_profile(profile);
  const auto count = [&](Precision precision) {
    return std::count_if(tuned.kernels.begin(), tuned.kernels.end(), [&](const auto& kernel) {
      return kernel.precision == precision && is_product(kernel.role);
    });
  };
  CHECK(count(Precision::kSingle) > 0);
  CHECK(count(Precision::kHalf) > 0);
  check_runs(profile, "h");
  CHECK(run_program("verify --device 0 --precision h " + profile).exit_code == 0);
  if (no_doubles) return;
  CHECK(count(Precision::kDouble) > 0);
  check_runs(profile, "d");
}

TEST_CASE("tune, check, show, bench") {
  const std::string profile = scratch_folder() + "/device.toml";
  const ProgramResult tune = run_program(
      "tune --device 0 --shapes 32x32x32,50x20x70 --ops nn,nt --budget 10h --candidates 12 "
      "--rounds 3 --seed 7 --output " +
      profile);
  INFO(tune.error);
  REQUIRE(tune.exit_code == 0);
  CHECK(tune.out == profile + "\n");
  CHECK(contains(tune.error, "\nNT "));
  CHECK_FALSE(contains(tune.error, "sgemm_"));
  CHECK(tune.error.find('\r') == std::string::npos);  // not a terminal: plain lines
  CHECK(run_program("check " + profile).exit_code == 0);
  const ProgramResult show = run_program("show " + profile);
  CHECK(contains(show.out, "50x20x70"));
  CHECK(contains(show.out, "next"));
  const ProgramResult shown = run_program("show --all " + profile);
  CHECK(contains(shown.out, "--seed 7"));
  CHECK(contains(shown.out, "round trip  "));
  CHECK(contains(shown.out, "% peak"));

  const std::size_t install = tune.error.find("next: tilewright profiles --install '" + profile);
  CHECK(install < tune.error.find("next: tilewright bench"));
  {
    const TemporaryFolder home;
    const ScopedVariable variable("XDG_DATA_HOME", home.path().c_str());
    const ProgramResult installed = run_program("profiles --install " + profile);
    CHECK(contains(installed.out, "device 0 ("));
    CHECK(contains(installed.out, "): applications use it\n"));
    CHECK(contains(run_program("devices").out, home.file("tilewright/profiles/device.toml")));
  }

  const ProgramResult bench =
      run_program("bench --device 0 --seconds 100ms --profile " + profile +
                  " --shapes 32x32x32 --ops nn,tt --compare builtin --json");
  INFO(bench.error);
  REQUIRE(bench.exit_code == 0);
  const auto json = nlohmann::json::parse(bench.out);
  CHECK(contains(json["conditions"]["profile"], profile));
  REQUIRE(json["results"].size() == 2);
  for (const auto& result : json["results"]) {
    const auto gflops = figure_in(result, "tilewright")["rate"];
    CHECK(gflops["low"] <= gflops["median"]);
    CHECK(gflops["median"] <= gflops["high"]);
    CHECK(figure_in(result, "competitor", "builtin")["rate"]["median"] > 0);
  }
  CHECK(json["results"][1]["op"] == "TT");
  const ProgramResult columns = run_program(
      "bench --device 0 --seconds 10ms --shapes 32x32x32 --ops tn,nn --profile " + profile);
  CHECK(columns.exit_code == 0);
  CHECK(columns.out.find(" NN ") < columns.out.find(" TN\n"));

  const ProgramResult verify = run_program("verify --device 0 --json " + profile);
  INFO(verify.error);
  INFO(verify.out);
  CHECK(verify.exit_code == 0);
  const auto verified = nlohmann::json::parse(verify.out);
  CHECK(verified["all_right"] == true);
  std::size_t remeasured = 0;
  for (const auto& kernel : verified["kernels"]) remeasured += kernel["results"].size();
  CHECK(remeasured > 0);

  // Other shapes are added; the existing results are kept.
  const Profile before = load_profile(profile);
  check_first_plans(profile);
  const ProgramResult more = run_program(
      "tune --device 0 --shapes 24x40x16 --ops tn --budget 10h --candidates 4 --rounds 3 "
      "--activations none --profile " +
      profile);
  INFO(more.error);
  REQUIRE(more.exit_code == 0);
  CHECK(more.out == profile + "\n");
  const Profile after = load_profile(profile);
  for (const KernelRecord& kernel : before.kernels)
    CHECK(find_kernel(after, kernel.name) != nullptr);
  const auto has = [](const Profile& tuned, Op op, std::int64_t m) {
    return std::any_of(tuned.results.begin(), tuned.results.end(),
                       [&](const ShapeResult& r) { return r.op == op && r.m == m; });
  };
  CHECK((!has(before, Op::kTN, 24) && has(after, Op::kTN, 24) && has(after, Op::kNT, 50)));
  // Each group of shapes has its own journal.
  CHECK(run_program("tune --device 0 --shapes 25x40x16 --ops tn --budget 10h --candidates 4 "
                    "--rounds 2 --activations none --profile " +
                    profile)
            .exit_code == 0);
  CHECK(has(load_profile(profile), Op::kTN, 25));

  // Kernels of other precisions are added.
  check_other_types(profile);

  const std::string other = scratch_folder() + "/other.toml";
  Profile stranger = load_profile(profile);
  stranger.device.name = "Another";
  std::ofstream(other) << write_profile(stranger);
  for (const char* command :
       {"verify --device 0 ", "explain --device 0 --shape 8x8x8 --profile "}) {
    const ProgramResult refused = run_program(command + other);
    CHECK(refused.exit_code == 1);
    CHECK(refused.out.empty());
    CHECK(contains(refused.error, "another device: "));
    CHECK(contains(refused.error, "Another"));
  }

  const ProgramResult explain =
      run_program("explain --profile " + profile + " --device 0 --shape 40x20x30 --json");
  INFO(explain.error);
  REQUIRE(explain.exit_code == 0);
  const auto explained = nlohmann::json::parse(explain.out);
  CHECK(explained["built"] == true);
  REQUIRE(explained["candidates"].size() > 1);
  CHECK(explained["candidates"][0]["fate"] == "runs");
  CHECK(explained["candidates"][0]["total_us"] > 0.0);

  const ProgramResult all = run_program("bench --device 0 --seconds 100ms --all-plans --profile " +
                                        profile + " --shapes 40x20x30 --ops nn --json");
  INFO(all.error);
  REQUIRE(all.exit_code == 0);
  const auto result = nlohmann::json::parse(all.out)["results"][0];
  const auto plan = figure_in(result, "plan");
  REQUIRE_FALSE(plan.is_null());
  // The planner's first plan is the one that the library used.
  CHECK(plan["kernels"] == figure_in(result, "tilewright")["kernels"]);
  for (const auto& figure : result["figures"]) {
    if (figure["kind"] == "plan") CHECK(figure["rate"]["median"] > 0.0);
  }

  const ProgramResult table =
      run_program("bench --device 0 --profile builtin --shapes 16x16x16 --ops nn --seconds 100ms");
  CHECK(table.exit_code == 0);
  CHECK(contains(table.out, "16x16x16"));
  CHECK(contains(table.out, "profile: built-in"));
}

TEST_CASE("a budget that is too short for any candidate writes no profile and fails") {
  const std::string profile = scratch_folder() + "/short.toml";
  const std::string command = "tune --device 0 --shapes 32x32x32 --ops nn --output " + profile;
  const ProgramResult tune = run_program(command + " --budget 1ms");
  INFO(tune.error);
  REQUIRE(tune.exit_code == 1);
  CHECK(contains(tune.error, "not measured (no time left)"));
  CHECK(contains(tune.error, "--budget 0.001s"));
  CHECK(contains(tune.error, "no time"));
  CHECK(contains(tune.error, "same command"));
  CHECK(contains(tune.error, "the tuning ended early"));
  CHECK_FALSE(std::filesystem::exists(profile));
  CHECK(contains(run_program(command + " --budget 2ms").error, "no time"));
  CHECK_FALSE(std::filesystem::exists(profile));

  // If the tuning is continued, the micro-benchmarks are completed within the new budget.
  const ProgramResult more = run_program(command + " --budget 10h --candidates 4 --rounds 2");
  INFO(more.error);
  REQUIRE(more.exit_code == 0);
  CHECK(contains(more.error, "peak "));
  CHECK(!contains(more.error, "not measured"));
  const Profile whole = load_profile(profile);
  CHECK(whole.provenance.complete);
  CHECK(whole.rates.peak_gflops > 0.0);
  CHECK(whole.rates.multiply_adds.size() >= 5);
  const JournalContents journal = read_journal(profile + ".journal.jsonl");
  CHECK(!journal.rates->partial);
  CHECK(journal.spent.on(kOnRates) > 0.0);
}

TEST_CASE(
    "a tuning whose output cannot be written is rejected before it starts, and leaves no files") {
  const ProgramResult folder =
      run_program("tune --device 0 --output " + scratch_folder() + "/no/folder/x.toml");
  CHECK(folder.exit_code == 2);
  CHECK(contains(folder.error, "is not a folder"));
  const ProgramResult itself = run_program("tune --device 0 --output " + scratch_folder());
  CHECK(itself.exit_code == 2);
  CHECK_FALSE(std::filesystem::exists(scratch_folder() + "/no"));
}

TEST_CASE("a tuning without a search says so if no kernels are known") {
  const std::string output = scratch_folder() + "/unknown.toml";
  const TemporaryFolder driver_cache;
  const ScopedVariable pocl("POCL_CACHE_DIR", driver_cache.path().c_str());
  const ScopedVariable private_cache("TILEWRIGHT_DRIVER_CACHE", nullptr);
  const ProgramResult result = run_program(
      "tune --device 0 --shapes 64x64x64 --ops nn --only tile_m=3 --only tile_n=2 --strategy known "
      "--budget 10h --no-packing --activations none --output " +
      output);
  CHECK(result.exit_code == 1);
  CHECK(std::filesystem::is_empty(driver_cache.path()));  // the micro-benchmarks were compiled
  CHECK(contains(result.error, "no known kernel"));
  CHECK(contains(result.error, "--warm-start"));
  CHECK_FALSE(std::ifstream(output).good());
}

}  // namespace
}  // namespace tilewright
