// Tests of what a user sees while a tuning runs.
#include "tuner/tuning/report/tune_progress.hpp"

#include <algorithm>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "tuner/doctor/doctor.hpp"

namespace tilewright {
namespace {

struct Reader {
  std::string text;
  std::chrono::steady_clock::time_point now = {};
  TuneProgress progress{[this](const std::string& more) { text += more; }, false,
                        [this] { return now; }};

  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
  int lines() const { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }
};

TEST_CASE("rates without a measurement are not printed as zero") {
  DeviceRates rates;
  rates.launch_ns = 5000.0;
  Reader partial;
  partial.progress.rates(rates, Precision::kSingle, true);
  CHECK_THAT(partial.text, Catch::Matchers::ContainsSubstring("launches 5 us"));
  Reader none;
  none.progress.rates(rates, Precision::kSingle, false);
  CHECK(none.has("peak not measured; copies not measured;"));
  rates.peak_gflops = 50.0;
  rates.copy_gbytes_per_s = 12.0;
  Reader all;
  all.progress.rates(rates, Precision::kSingle, false);
  CHECK(all.has("peak 50 GFLOPS; copies 12 GB/s; launches"));
}

TEST_CASE("the findings of the doctor come first, if they concern the device") {
  DeviceInfo device;
  device.identity.name = "board";
  device.kind = DeviceKind::kGpu;
  device.clock_warning = "it floats: pin it with `echo performance | sudo tee governor`";
  const Findings found = {
      {"icd", FindingState::kOk, "all is well", ""},
      {"profile", FindingState::kNote, "the built-in profile is used", "tilewright tune"},
      {"clock", FindingState::kNote, "it floats", "echo performance | sudo tee governor"},
      {"sensor", FindingState::kNote, "the energy sensor x cannot be read", ""},
      {"memory", FindingState::kNote, "little memory", "end other programs"},
      {"node", FindingState::kProblem, "no right to /dev/mali0", "sudo usermod -aG video odroid"}};
  Reader gpu;
  gpu.progress.device_notes = [&](const DeviceInfo& of) { return lines_before_tuning(found, of); };
  gpu.progress.begin(device, "j", 0);
  CHECK(gpu.text.rfind("note: little memory\n  -> end other programs\n"
                       "problem: no right to /dev/mali0\n  -> sudo usermod -aG video odroid\n"
                       "tuning board (",
                       0) == 0);
  // A clock that the device's own warning does not mention.
  device.clock_warning.clear();
  CHECK(lines_before_tuning(found, device).size() == 3);
  // Notes about GPUs do not concern a CPU.
  device.kind = DeviceKind::kCpu;
  CHECK(lines_before_tuning(found, device).size() == 2);
}

TEST_CASE(
    "a file gets a line per minute: done, total, ETA, and the best with its share of the peak") {
  Reader r;
  DeviceRates rates;
  rates.peak_gflops = 1000.0;
  r.progress.rates(rates, Precision::kSingle, false);
  r.text.clear();
  r.progress.outcome(
      example_outcome("gemm tile_m=4 tile_n=4", kBuiltIn, {{kSmall, {4000.0}}}, 1.0));
  r.progress.outcome(example_outcome("gemm tile_m=4 tile_n=8", "NN", {{kSmall, {2000.0}}}, 2.0));
  // Kernels that compute more than a product do not count.
  r.progress.outcome(
      example_outcome("gemm tile_m=4 tile_n=8 bias=n", kFused, {{kSmall, {1000.0}}}, 4.0));
  for (int i = 0; i < 2; ++i) {
    Outcome failed = example_outcome("gemm tile_m=8", "NN", {}, 3.0);
    failed.result = OutcomeClass::kBuild;
    r.progress.outcome(failed);
  }
  r.progress.search({"NN", 1, 200.0}, 70.0);
  r.now += std::chrono::seconds(59);
  r.progress.search({"NT", 2, 200.0}, 70.0);  // no line for a new task
  r.progress.finals({0, kSmall, 3, 0.0}, 10.0);
  CHECK(r.text.empty());
  r.now += std::chrono::seconds(1);
  r.progress.search({"NT", 57, 200.0}, 70.0);
  CHECK(r.text ==
        "search (NT): 57 of about 200 candidates, ETA 1:10, best 262.1 GFLOPS (26 % of peak) on "
        "64x64x64, 2 build\n");
  r.now += std::chrono::seconds(30);
  r.progress.search({"NT", 58, 200.0}, 70.0);
  CHECK(r.lines() == 1);
  r.now += std::chrono::seconds(30);
  r.progress.finals({4, kSmall, 3, 0.5}, 10.0);
  CHECK(r.has("\nfinals: round 5, 3 finalists on 64x64x64, 50 % done, ETA 0:"));
  CHECK(r.lines() == 2);
  // Stages without candidates print lines, too.
  r.now += std::chrono::seconds(59);
  r.progress.working(5.0);
  CHECK(r.lines() == 2);
  r.now += std::chrono::seconds(1);
  r.progress.working(4.0);
  CHECK(r.has("\nfinals: round 5, 3 finalists on 64x64x64, 50 % done, ETA 0:04, best 262"));
  r.progress.stage("kernels for networks");
  r.now += std::chrono::seconds(60);
  r.progress.working(3.0);
  CHECK(r.has("\nkernels for networks, ETA 0:03, best 262"));
}

TEST_CASE("a terminal has one line that changes in place, below the permanent ones") {
  std::string text;
  std::chrono::steady_clock::time_point now = {};
  TuneProgress progress([&](const std::string& more) { text += more; }, true, [&] { return now; });
  progress.search({"NN", 1}, 3.0);
  CHECK(text == "NN: 1 tried, ETA 0:03\x1b[K\n");
  text.clear();
  progress.search({"NN", 2}, 3.0);
  CHECK(text.empty());  // too early
  now += std::chrono::milliseconds(200);
  progress.search({"NN", 3}, 2.0);
  CHECK(text == "\r\x1b[1ANN: 3 tried, ETA 0:02\x1b[K\n");
  text.clear();
  progress.note("something");
  CHECK(text == "\r\x1b[1A\x1b[Ksomething\n");
}

}  // namespace
}  // namespace tilewright
