// Tests that each fault has its effect. The tests of the tuner rely on this.
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "catch.hpp"
#include "fault_rules.hpp"
#include "fault_run.hpp"
#include "run_program.hpp"
#include "running_program.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr int kKilled = 137;  // by SIGKILL from `timeout`
constexpr int kSegfault = 139;

// Returns the value after the n-th line that starts with this word.
long long printed_value(const std::string& out, const std::string& word, int n = 1) {
  std::size_t at = 0;
  for (std::string text = "\n" + out; n > 0; --n, ++at) {
    at = text.find("\n" + word + " ", at);
    REQUIRE(at != std::string::npos);
    if (n == 1) return std::atoll(text.c_str() + at + word.size() + 2);
  }
  return 0;
}

ProbeResult probe_with(const std::string& rules, const std::string& argument = "",
                       int seconds = 600) {
  const Faults faults(rules);
  return run_probe(argument, seconds);
}

// Runs the probe with rules of which one hangs. It is killed after a multiple of its usual time.
ProbeResult probe_that_hangs(const std::string& rules) {
  static const double usual_s = [] {
    const double begin = seconds_now();
    probe_with("");
    return seconds_now() - begin;
  }();
  return probe_with(rules, "", 1 + static_cast<int>(10.0 * usual_s));
}

TEST_CASE("faults: without rules all calls are passed on") {
  const ProbeResult result = probe_with("");
  INFO(result.out);
  CHECK(result.exit_code == 0);
  CHECK(printed_value(result.out, "right", 1) == 1);
  CHECK(printed_value(result.out, "right", 2) == 1);
}

TEST_CASE("faults: invalid rules end the program") {
  const ProbeResult result = probe_with("burn always");
  CHECK(result.exit_code == 99);
  CHECK_THAT(result.out, ContainsSubstring("no fault 'burn'"));
}

TEST_CASE("faults: a rule applies to what it selects") {
  const ProbeResult other = probe_with("build_failure entry=competitor");
  CHECK(other.exit_code == 0);
  const ProbeResult second = probe_with("build_failure call=2");
  CHECK(printed_value(second.out, "build", 1) == 0);
  CHECK(printed_value(second.out, "build", 2) == -11);
  const ProbeResult text = probe_with("out_of_resources source~sum");
  CHECK(printed_value(text.out, "launch") == -5);
}

TEST_CASE("faults: contexts") {
  CHECK(printed_value(probe_with("context_failure always").out, "context") == -2);
  const ProbeResult crash = probe_with("context_crash always");
  CHECK(crash.exit_code == kSegfault);
  CHECK_THAT(crash.out, !ContainsSubstring("context "));
}

TEST_CASE("faults: a build fails with a log") {
  const ProbeResult result = probe_with("build_failure entry=probe");
  CHECK(result.exit_code == 1);
  CHECK(printed_value(result.out, "build") == -11);
  CHECK(printed_value(result.out, "status") == -2);
  CHECK_THAT(result.out, ContainsSubstring("log the fault layer is configured"));
}

TEST_CASE("faults: a build dies, from text and from a binary") {
  const ProbeResult text = probe_with("build_crash entry=probe");
  CHECK(text.exit_code == kSegfault);
  CHECK_THAT(text.out, ContainsSubstring("context 0") && !ContainsSubstring("build"));
  const ProbeResult binary = probe_with("build_crash call=2\n", "binary");
  CHECK(binary.exit_code == kSegfault);
  CHECK_THAT(binary.out, ContainsSubstring("right 1"));
}

TEST_CASE("a driver that dies while it loads a cached binary does not end every start") {
  const TemporaryFolder folder;
  const ScopedVariable cache("TILEWRIGHT_CACHE", folder.path().c_str());
  const auto num_files = [&] {
    const std::filesystem::directory_iterator files(folder.path());
    return std::distance(begin(files), end(files));
  };
  CHECK_THAT(probe_with("", "library").out, ContainsSubstring("right 1"));
  const auto stored = num_files();
  REQUIRE(stored > 0);
  // Each start removes the binary at which the one before died, and then compiles that kernel.
  std::ptrdiff_t crashes = 0;
  for (; crashes <= stored; ++crashes) {
    const ProbeResult start = probe_with("binary_crash always", "library");
    if (start.exit_code == 0) {
      CHECK_THAT(start.out, ContainsSubstring("right 1"));
      break;
    }
    CHECK(start.exit_code == kSegfault);
  }
  CHECK(crashes > 0);
  CHECK(crashes <= stored);
}

TEST_CASE("faults: kernels of a binary are known by their names") {
  const ProbeResult result =
      probe_with("launch_crash hash%1000=" + std::to_string((fault_hash("probe") + 1) % 1000) +
                     "\nslow entry=probe 1000000\n",
                 "binary");
  CHECK(printed_value(result.out, "ns", 1) > 1000000);
  CHECK(printed_value(result.out, "ns", 2) > 1000000);
}

TEST_CASE("faults: a build does not return") {
  const ProbeResult result = probe_that_hangs("build_hang always");
  CHECK(result.exit_code == kKilled);
  CHECK_THAT(result.out, ContainsSubstring("context 0") && !ContainsSubstring("build"));
}

TEST_CASE("faults: a launch dies, fails, does not return") {
  const ProbeResult crash = probe_with("launch_crash always");
  CHECK(crash.exit_code == kSegfault);
  CHECK_THAT(crash.out, ContainsSubstring("build 0") && !ContainsSubstring("launch"));

  const ProbeResult fails = probe_with("out_of_resources call=1");
  CHECK(printed_value(fails.out, "launch", 1) == -5);
  CHECK(printed_value(fails.out, "launch", 2) == 0);

  const ProbeResult lost = probe_with("context_lost call=1");
  CHECK(printed_value(lost.out, "launch", 1) == -5);
  CHECK(printed_value(lost.out, "launch", 2) == -5);

  const ProbeResult hang = probe_that_hangs("launch_hang always");
  CHECK(hang.exit_code == kKilled);
  CHECK_THAT(hang.out, ContainsSubstring("launch 0") && !ContainsSubstring("finished"));

  const ProbeResult spin = probe_that_hangs("launch_spin always");
  CHECK(spin.exit_code == kKilled);
  CHECK_THAT(spin.out, ContainsSubstring("build 0") && !ContainsSubstring("launch"));
}

TEST_CASE("faults: only a result is wrong") {
  const ProbeResult result = probe_with("wrong_result call=1");
  INFO(result.out);
  CHECK(result.exit_code == 0);
  CHECK(printed_value(result.out, "right", 1) == 0);
  CHECK(printed_value(result.out, "right", 2) == 1);
  CHECK(printed_value(result.out, "ns", 1) > 0);
}

TEST_CASE("faults: times") {
  const auto ns = [](const std::string& rules) {
    return printed_value(probe_with(rules).out, "ns");
  };
  CHECK(ns("garbage_times always") < 0);
  CHECK(ns("garbage_times always 7") == 7);
  const auto model = static_cast<long long>(model_ns("probe", 64, 10));
  CHECK(ns("times_by_name always") == model);
  CHECK(ns("times_by_name entry=probe\nslow entry=probe 50") == 50 * model);
}

TEST_CASE("faults: a lost device is lost for all processes, as long as its file exists") {
  const std::string file = scratch_folder() + "/gone";
  const std::string rule = "device_gone entry=probe " + file;
  const ProbeResult first = probe_with(rule);
  CHECK(first.exit_code == kSegfault);
  CHECK_THAT(first.out, ContainsSubstring("build 0") && !ContainsSubstring("launch"));
  CHECK(std::filesystem::exists(file));
  CHECK(printed_value(probe_with(rule).out, "context") == -2);
  std::filesystem::remove(file);
  CHECK(probe_with("device_gone entry=competitor " + file).exit_code == 0);
}

}  // namespace
}  // namespace tilewright
