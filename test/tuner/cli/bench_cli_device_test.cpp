// Tests of `tilewright bench` on a device: programs as competitors, the launch floor, packing, and
// kernels that crash or hang.
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench_figures.hpp"
#include "catch.hpp"
#include "cli_checks.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"
#include "scoped_variable.hpp"
#include "session.hpp"
#include "tuner/measure/device/device_choice.hpp"

namespace tilewright {
namespace {

const std::string kCompetitor = std::string("exec:") + TILEWRIGHT_FAKE_COMPETITOR;

TEST_CASE("a program competes, and its result is checked") {
  const std::string command =
      "bench --device 0 --profile builtin --seconds 100ms --json --compare " + kCompetitor;
  const ProgramResult bench = run_program(command + " --shapes 16x24x40,17x5x9 --ops nn,nt,tn,tt");
  INFO(bench.error);
  REQUIRE(bench.exit_code == 0);
  const auto json = nlohmann::json::parse(bench.out);
  REQUIRE(json["competitors"].size() == 1);
  CHECK(json["competitors"][0]["details"].get<std::string>().starts_with("naive product for "));
  const auto& conditions = json["conditions"];
  CHECK(conditions["command"].get<std::string>().starts_with("tilewright bench --device 0"));
  CHECK(conditions["idle_waits"]["samples"] >= 8 * 3 * 9);
  REQUIRE(json["results"].size() == 8);
  for (const auto& result : json["results"]) {
    CHECK(figure_in(result, "competitor", kCompetitor)["rate"]["median"] > 0.0);
    CHECK(figure_in(result, "launch_floor")["us"]["median"] > 0.0);
    CHECK(result["launch_share"] > 0.0);
  }
}

TEST_CASE("a program that computes nothing is not measured") {
  const ScopedVariable idle("TILEWRIGHT_FAKE_COMPETITOR", "run=idle");
  const ProgramResult bench = run_program(
      "bench --device 0 --profile builtin --shapes 8x8x8 --ops nn --compare " + kCompetitor);
  CHECK(bench.exit_code == 1);
  CHECK(bench.error.find("fake_competitor computes C(") != std::string::npos);
}

// Writes a profile in which the kernels for which `spoils` holds start with the given statements
// and have the given function.
template <class Spoils>
std::string spoilt_profile(const std::string& statements, Spoils spoils,
                           const std::string& function = "") {
  Profile profile = built_in_profile({});
  for (KernelRecord& kernel : profile.kernels) {
    if (!spoils(kernel)) continue;
    const std::size_t body = kernel.source.find("\n{\n", kernel.source.find("__kernel"));
    REQUIRE(body != std::string::npos);
    kernel.source.insert(body + 3, "  " + statements + "\n");
    kernel.source.insert(kernel.source.find("__kernel"), function);
  }
  std::string file = scratch_folder() + "/spoilt.toml";
  std::ofstream(file) << write_profile(profile);
  return file;
}

bool is_nt_product(const KernelRecord& kernel) {
  return kernel.role == Role::kGemm && kernel.layout_b == Layout::C();
}

TEST_CASE(
    "if a call exceeds the measured peak, the peak is a lower bound and the call is not above it") {
  Profile profile = built_in_profile({});
  profile.kind = ProfileKind::kTuned;
  profile.device = enumerate_devices().devices.at(0).identity;
  profile.rates.multiply_adds = {{1, "mad", 1e-6}};
  profile.rates.peak_gflops = 1e-6;
  const std::string file = scratch_folder() + "/passed.toml";
  std::ofstream(file) << write_profile(profile);
  const ProgramResult bench = run_program(
      "bench --device 0 --seconds 100ms --shapes 16x24x40,64x64x64 --ops nn --json --profile " +
      file);
  INFO(bench.error);
  REQUIRE(bench.exit_code == 0);
  const auto json = nlohmann::json::parse(bench.out);
  const auto& rates = json["conditions"]["rates"];
  CHECK(rates["peak_is_lower_bound"] == true);
  REQUIRE(json["results"].size() == 2);
  for (const auto& result : json["results"]) {
    const auto gflops = figure_in(result, "tilewright")["rate"]["median"];
    CHECK(gflops <= rates["peak_gflops"]);
    CHECK(gflops <= result["roofline_gflops"]);
  }
}

// GPUs do not crash because of a stray store.
bool device_is_a_cpu() {
  return nlohmann::json::parse(run_program("devices --json").out).at(0)["type"] == "cpu";
}

std::string platform_of_device() {
  return nlohmann::json::parse(run_program("devices --json").out).at(0)["platform"];
}

// Each runs the nt kernels after the nn kernels, which are correct.
std::string crashing_bench(const std::string& statements, const std::string& function = "") {
  return "bench --device 0 --seconds 100ms --shapes 16x24x40 --ops nn,nt,tn --profile " +
         spoilt_profile(statements, is_nt_product, function);
}

void check_crash(const std::string& bench) {
  INFO(bench);
  const ProgramResult table = run_program(bench);
  INFO(table.error);
  CHECK(table.exit_code == 1);
  CHECK(contains(table.out, "16x24x40 "));
  CHECK(contains(table.out, " -"));  // check_json_of_crash() says which are measured
  CHECK(contains(table.error, "died of SIG"));
  CHECK(contains(table.error, "sgemm_R_C_"));
  CHECK(contains(table.error, "on NT 16x24x40"));
}

void check_json_of_crash(const std::string& bench) {
  const ProgramResult result = run_program(bench + " --json");
  CHECK(result.exit_code == 1);
  const auto json = nlohmann::json::parse(result.out);
  REQUIRE(json["results"].size() == 3);
  CHECK(figure_in(json["results"][1], "tilewright").is_null());
  CHECK_FALSE(figure_in(json["results"][2], "tilewright").is_null());
  REQUIRE_FALSE(json.at("missing").empty());
  CHECK(contains(json.at("missing")[0].get<std::string>(), "died of SIG"));
}

TEST_CASE("bench reports a kernel that crashes, and measures the other products") {
  if (!device_is_a_cpu()) SKIP_CASE("a fault in a kernel kills only where the device is the CPU");
  const std::string segfault = crashing_bench("((__global volatile float *)8)[0] = 1.0f;");
  check_crash(segfault);
  check_crash(segfault + " --all-plans");
  check_json_of_crash(segfault);
  if (!platform_of_device().starts_with("Portable Computing Language")) {
    count_skipped_part(
        "kernels that overflow the stack: only PoCL is known to use that of a thread");
  } else {
    check_crash(crashing_bench(
        "volatile float large[1 << 26]; for (int q = 0; q < 1 << 26; q += 512) large[q] = 1.0f;"));
    // OpenCL C forbids recursion, but PoCL's compiler accepts it.
    check_crash(crashing_bench("C[offset_c] = deep((float)k);",
                               "float deep(float x) { volatile float kept[64]; kept[0] = x; "
                               "return deep(x + 1.0f) + kept[0]; }\n"));
  }
}

TEST_CASE("bench reports a kernel that hangs") {
  if (!device_is_a_cpu()) SKIP_CASE("a fault in a kernel kills only where the device is the CPU");
  if (platform_of_device().starts_with("rusticl"))
    SKIP_CASE("llvmpipe ends a loop after many iterations");
  const ProgramResult bench = run_program(
      "bench --device 0 --seconds 100ms --shapes 16x24x40 --ops nt,nn --launch-deadline 2s --profile " +
      spoilt_profile("volatile int spin = 1; while (spin) {}", is_nt_product));
  INFO(bench.error);
  CHECK(bench.exit_code == 1);
  CHECK(contains(bench.error, "was silent for "));
  CHECK(contains(bench.error, "while it was running sgemm_R_C_"));
  CHECK(contains(bench.out, "\n16x24x40 "));
}

TEST_CASE("plans that are predicted to take too long are named and not launched") {
  Profile profile = built_in_profile({});
  profile.kind = ProfileKind::kTuned;
  profile.device = enumerate_devices().devices.at(0).identity;
  profile.rates.multiply_adds = {{1, "mad", 1.0}};
  profile.rates.peak_gflops = 1.0;
  for (const KernelRecord& kernel : profile.kernels) {
    if (kernel.role != Role::kGemm || kernel.layout_b != Layout::R()) continue;
    profile.results = {{Op::kNN, 64, 64, 64, kernel.name, 1e9, 1e9, 1e9, 3, 0.5}};
    break;
  }
  const std::string file = scratch_folder() + "/slow.toml";
  std::ofstream(file) << write_profile(profile);
  const std::string bench =
      "bench --device 0 --seconds 100ms --shapes 64x64x64 --ops nn --all-plans --json --profile " +
      file;
  const ProgramResult short_ones = run_program(bench);
  INFO(short_ones.error);
  REQUIRE(short_ones.exit_code == 0);
  const auto left_out = nlohmann::json::parse(short_ones.out)["results"][0]["left_out"];
  REQUIRE(left_out.size() >= 1);
  CHECK(contains(left_out[0].get<std::string>(), "1000 ms"));
  const ProgramResult all = run_program(bench + " --max-dispatch 10s");
  CHECK_FALSE(nlohmann::json::parse(all.out)["results"][0].contains("left_out"));
}

}  // namespace
}  // namespace tilewright
