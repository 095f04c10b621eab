// Tests that control characters in files do not reach the terminal.
//
// Every command that prints text from a file gets a file with control sequences of terminals, and
// must escape them.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli_checks.hpp"
#include "journal_examples.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"

namespace tilewright {
namespace {

// Clears the screen, renames the window, reverses the following text, contains a C1 control and a
// new line with a false statement. (TOML has no bytes that are not UTF-8.)
const std::string kHostile =
    "\x1b[2J\x1b]0;pwned\x07 \xe2\x80\xae gpj \xc2\x9b"
    "31m\rall is well\nerror: none \x7f";
const std::string kSpelled =
    "\\x1b[2J\\x1b]0;pwned\\x07 \\xe2\\x80\\xae gpj \\xc2\\x9b"
    "31m\\x0dall is well\\x0aerror: none \\x7f";

// Used as an argument. It contains no line feed, since a user who types one wants it.
const std::string kTyped = "\x1b[31m\x07\xe2\x80\xae\xff";

void check_clean(const std::string& text) {
  INFO(text);
  CHECK(std::all_of(text.begin(), text.end(),
                    [](char c) { return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t'; }));
  CHECK_FALSE(contains(text, "\nerror: none"));
}

ProgramResult run_clean(const std::string& arguments) {
  INFO(arguments);
  ProgramResult result = run_program(arguments);
  check_clean(result.out);
  check_clean(result.error);
  return result;
}

// Quotes text for the shell.
std::string quoted(const std::string& text) {
  return "'" + text + "'";
}

std::string hostile_profile(ProfileKind kind) {
  Profile profile = built_in_profile({});
  profile.kind = kind;
  DeviceIdentity& device = profile.device;
  device.vendor = device.name = device.opencl_c_version = device.platform = device.driver =
      kHostile;
  device.limits.max_work_group_size = 256;
  device.limits.max_work_item_sizes = {256, 256};
  device.limits.local_memory_bytes = 32768;
  device.limits.image_support = true;
  Provenance& provenance = profile.provenance;
  provenance.tool_version = provenance.command_line = provenance.space_digest = kHostile;
  provenance.statistic = provenance.date = kHostile;
  for (KernelRecord& kernel : profile.kernels) {
    kernel.name += kHostile;
    kernel.point = kHostile;
  }
  ShapeResult result;
  result.op = Op::kNN;
  result.m = result.n = result.k = 8;
  result.kernel = profile.kernels.front().name;
  result.median_ns = result.low_ns = result.high_ns = 1000.0;
  result.samples = 3;
  profile.results = {result};
  std::string file = scratch_folder() + "/hostile.toml";
  std::ofstream(file) << write_profile(profile);
  return file;
}

TEST_CASE("texts in a profile are escaped by every command") {
  const std::string file = hostile_profile(ProfileKind::kTuned);
  const ProgramResult show = run_clean("show --all " + file);
  CHECK(show.exit_code == 0);
  CHECK(contains(show.out, "device      " + kSpelled));
  CHECK(contains(show.out, "made by     tilewright " + kSpelled + ", " + kSpelled + "\n"));
  CHECK(contains(show.out, "command     " + kSpelled));
  CHECK(contains(show.out, "  sgemm_R_R_m1_n1" + kSpelled));
  CHECK(run_clean("check " + file).exit_code == 0);
  const ProgramResult explain = run_clean("explain 8x8x8 --verbose --profile " + file);
  CHECK(explain.exit_code == 0);
  CHECK(contains(explain.out, kSpelled));
  CHECK(run_clean("show --kernel " + quoted(kTyped) + " " + file).exit_code == 2);
  for (const std::string command :
       {"verify ", "bench --profile ", "tune --output x.toml --profile "}) {
    CHECK(run_clean(command + file).exit_code != 0);
  }
}

TEST_CASE("the JSON output of a profile's texts is ASCII and has the same meaning") {
  const ProgramResult explain =
      run_clean("explain --json --shape 8x8x8 --profile " + hostile_profile(ProfileKind::kTuned));
  CHECK(explain.exit_code == 0);
  const auto json = nlohmann::json::parse(explain.out);
  const auto& plans = json["candidates"];
  CHECK(std::any_of(plans.begin(), plans.end(), [](const auto& plan) {
    return plan["kernel"].template get<std::string>().ends_with(kHostile);
  }));
}

TEST_CASE("texts in a journal are escaped") {
  JournalHeader header = example_header({{8, 8, 8}});
  header.device.identity.name = header.device.identity.platform = kHostile;
  header.tool_version = header.date = header.space_digest = kHostile;
  const std::string a = scratch_folder() + "/a.jsonl";
  const std::string b = scratch_folder() + "/b.jsonl";
  Journal::create(a, header);
  header.device.identity.name = "another" + kHostile;
  Journal::create(b, header);
  const ProgramResult merge = run_clean("merge --output x.toml " + a + " " + b);
  CHECK(merge.exit_code == 1);
  CHECK(contains(merge.error, "another"));
}

TEST_CASE("errors about damaged profiles and unknown arguments are escaped") {
  const std::string file = scratch_folder() + "/\x1b[31m\xe2\x80\xae\xff.toml";
  for (const std::string command : {"show ", "check ", "explain 8x8x8 --verbose --profile ",
                                    "verify ", "merge --output x.toml ", "net info "}) {
    CHECK(run_clean(command + quoted(file)).exit_code != 0);
    std::ofstream(file) << "format = 1\n\"" << kHostile << "\" = 1\n";
    CHECK(run_clean(command + quoted(file)).exit_code != 0);
    std::ofstream(file) << "{\"" << kHostile << "\": 1}\n";
    CHECK(run_clean(command + quoted(file)).exit_code != 0);
    std::remove(file.c_str());
  }
  CHECK(run_clean("--" + quoted(kTyped)).exit_code == 2);
  CHECK(run_clean("show --kernel").exit_code == 2);
  CHECK(run_clean("tune --shapes " + quoted(kTyped)).exit_code == 2);
  CHECK(run_clean("emit --point " + quoted(kTyped)).exit_code == 2);
  CHECK(run_clean("bench --device 0 --compare " + quoted(kTyped)).exit_code == 2);
}

}  // namespace
}  // namespace tilewright
