// What a person reads of a tuning, of made-up states and journals.
#include "tuner/tuning/tune_progress.hpp"

#include "catch.hpp"
#include "codelets/space/generic_profile.hpp"
#include "journal_examples.hpp"
#include "tuner/doctor/this_machine.hpp"
#include "tuner/finals/baseline.hpp"
#include "tuner/finals/selection.hpp"

namespace tilewright {
namespace {

const GemmShape kShape{64, 64, 64};

struct Reader {
  std::string text;
  std::chrono::steady_clock::time_point now = {};
  TuneProgress progress{[this](const std::string& more) { text += more; }, false,
                        [this] { return now; }};

  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

TEST_CASE("what micro-benchmarks had no time for is not told as zero") {
  DeviceRates rates;
  rates.launch_ns = 5000.0;
  Reader partial;
  partial.progress.rates(rates, Precision::kSingle, true);
  CHECK(partial.text ==
        "multiply-adds not measured: no time; copies not measured: no time, a launch costs 5 us\n");
  Reader none;
  none.progress.rates(rates, Precision::kSingle, false);
  CHECK(none.has("multiply-adds not measured; copies not measured,"));
  rates.multiply_adds = {{4, "mad", 50.0}};
  rates.peak_gflops = 50.0;
  rates.copy_gbytes_per_s = 12.0;
  Reader all;
  all.progress.rates(rates, Precision::kSingle, false);
  CHECK(all.has("multiply-adds by vector width: 4 mad; up to 50 GFLOPS; copies 12 GB/s, a launch"));
}

TEST_CASE("what the doctor found comes first, as far as it concerns the device") {
  DeviceInfo device;
  device.identity.name = "board";
  device.kind = DeviceKind::kGpu;
  device.clock_warning = "it floats: pin it with `echo performance | sudo tee governor`";
  const Findings found = {
      {"icd", FindingState::kOk, "all is well", ""},
      {"profile", FindingState::kNote, "served by generic", "tilewright tune"},
      {"clock", FindingState::kNote, "it floats", "echo performance | sudo tee governor"},
      {"memory", FindingState::kNote, "little memory", "end other programs"},
      {"node", FindingState::kProblem, "no right to /dev/mali0", "sudo usermod -aG video odroid"}};
  Reader gpu;
  gpu.progress.findings(found);
  gpu.progress.begin(device, "j", 0);
  CHECK(gpu.text.rfind("note: little memory\n  -> end other programs\n"
                       "problem: no right to /dev/mali0\n  -> sudo usermod -aG video odroid\n"
                       "tuning board (",
                       0) == 0);
  // A clock that the device's own warning does not tell of.
  device.clock_warning.clear();
  CHECK(told_before_tuning(found, device).size() == 3);
  // Notes on GPUs do not concern a CPU.
  device.kind = DeviceKind::kCpu;
  CHECK(told_before_tuning(found, device).size() == 2);
}

TEST_CASE("a file gets a line a minute: done, total, ETA, and the best with its shape") {
  Reader r;
  TuneObserver::State state;
  state.phase = "NN";
  state.tried = 1;
  state.all_tried = 1;
  state.all_expected = 200.0;
  state.valid = 40;
  state.phase_spent_s = 10.0;
  state.phase_budget_s = 20.0;
  state.total_left_s = 70.0;
  state.best_gflops = 25.0;
  state.peak_gflops = 100.0;
  state.best_kernel = "gemm_best";
  state.best_shape = kShape;
  state.failures = {{OutcomeClass::kOk, 4}, {OutcomeClass::kBuild, 2}};
  r.progress.candidate(state);
  r.now += std::chrono::seconds(59);
  state.phase = "NT";  // no line for a phase
  r.progress.candidate(state);
  r.progress.finals({0, kShape, 3, 0.0}, 10.0);
  CHECK(r.text.empty());
  r.now += std::chrono::seconds(1);
  state.all_tried = 57;
  r.progress.candidate(state);
  CHECK(r.text ==
        "search (NT): 57 of about 200 candidates tried, ETA 1:10, 2 build, best 25.0 GFLOPS "
        "(25 % of peak) on 64x64x64 gemm_best\n");
  r.now += std::chrono::seconds(30);
  r.progress.candidate(state);
  CHECK(std::count(r.text.begin(), r.text.end(), '\n') == 1);
  r.now += std::chrono::seconds(30);
  r.progress.finals({4, kShape, 3, 0.5}, 10.0);
  CHECK(r.has("\nfinals: round 5, 3 finalists on 64x64x64, 50 % done, ETA 0:"));
  CHECK(std::count(r.text.begin(), r.text.end(), '\n') == 2);
  // Stages without candidates are not silent.
  r.now += std::chrono::seconds(59);
  r.progress.working(5.0);
  CHECK(std::count(r.text.begin(), r.text.end(), '\n') == 2);
  r.now += std::chrono::seconds(1);
  r.progress.working(4.0);
  CHECK(r.has("\nfinals: round 5, 3 finalists on 64x64x64, 50 % done, ETA 0:04, 2 build, best 25"));
}

TEST_CASE("on a terminal the best by op and shape stands below the line, and what is told above") {
  std::string text;
  TuneProgress progress([&](const std::string& more) { text += more; }, true);
  TuneObserver::State state;
  state.phase = "NN";
  state.tried = 1;
  state.best.note(example_outcome("gemm tile_m=4 tile_n=8", "NN", {{kShape, {1000.0}}}, 1.0));
  progress.candidate(state);
  CHECK(text.find("NN 1 tried, ETA 0:00") != text.npos);
  CHECK(text.find("best GFLOPS so far") != text.npos);
  CHECK(text.find("64x64x64                    524.3") != text.npos);
  text.clear();
  progress.note("something");
  CHECK(text == "\r\x1b[3A\x1b[Jsomething\n");
}

// A built-in kernel, two candidates of a search, one with a bias.
JournalContents tuned() {
  JournalContents contents;
  contents.header = example_header({kShape});
  contents.header.ops = {Op::kNN};
  const std::string built_in =
      built_in_kernels(Op::kNN, contents.header.device.limits).front().text();
  contents.outcomes = {
      example_outcome(built_in, kBuiltIn, {{kShape, {4000.0, 4001.0, 4002.0}}}, 1.0),
      example_outcome("gemm tile_m=4 tile_n=8", "NN", {{kShape, {1000.0, 1001.0, 1002.0}}}, 2.0),
      example_outcome("gemm tile_m=2 tile_n=8", "NN", {{kShape, {9000.0, 9001.0, 9002.0}}}, 3.0),
      example_outcome("gemm tile_m=4 tile_n=8 bias=n", kFused, {{kShape, {1000.0, 1001.0}}}, 4.0)};
  return contents;
}

TEST_CASE("the summary counts the candidates of searches, as the search's account does") {
  const JournalContents contents = tuned();
  const Profile profile = profile_of(contents, 0, "");
  SearchTime search;
  search.candidates = 2;
  search.spend(SearchActivity::kMeasuring, 2.0);
  Reader whole;
  whole.progress.summary(contents, profile, search);
  CAPTURE(whole.text);
  CHECK(whole.has("2 candidates tried; in the profile: "));
  CHECK(whole.has("the search tried 2 candidates in 2 s"));
  CHECK(whole.has(" kernels: "));  // by role
  CHECK(whole.has(" gemm"));
  CHECK(whole.has("NN 64x64x64: "));
  CHECK(whole.has(", 4.00 x built-in"));
  CHECK(
      whole.has("of the speed of the fastest finalist on each shape (geometric mean): "
                "100.0 % with 1 product kernel"));
  search.candidates = 1;
  Reader resumed;
  resumed.progress.summary(contents, profile, search);
  CHECK(resumed.has("2 candidates tried, 1 of them in this session; in the profile: "));
}

TEST_CASE("a kernel that passed the peak is 100 % of it, and the peak a lower bound") {
  JournalContents contents = tuned();
  contents.rates = DeviceRates{};
  contents.rates->multiply_adds = {{4, "mad", 100.0}};
  contents.rates->peak_gflops = 100.0;
  // The three samples of a search may be noise.
  Reader few;
  const Profile profile = profile_of(contents, 0, "");
  CHECK(profile.rates.peak_gflops == 100.0);
  few.progress.summary(contents, profile, {});
  CAPTURE(few.text);
  CHECK(few.has("GFLOPS (>100 % of peak), 4.00 x built-in"));
  CHECK_FALSE(few.has("a lower bound"));
  std::vector<double>& samples = contents.outcomes[1].shapes[0].ns;
  samples = {1000.0, 1000.0, 1001.0, 1002.0, 1002.0};
  Reader r;
  r.progress.summary(contents, profile_of(contents, 0, ""), {});
  CAPTURE(r.text);
  CHECK(r.has("GFLOPS (100 % of peak), 4.00 x built-in"));
  CHECK(r.has("a lower bound of what the device can do"));
}

TEST_CASE("the summary names operand combinations that were not tuned") {
  const JournalContents contents = tuned();
  Profile profile = profile_of(contents, 0, "");
  Reader one;
  one.progress.summary(contents, profile, {});
  CHECK(one.has("not tuned: NT, TN. Products of NT, TN use kernels"));
  // What a profile that the tuning adds to has counts, too.
  for (const Op op : {Op::kNT, Op::kTN}) {
    profile.results.push_back(profile.results.front());
    profile.results.back().op = op;
  }
  Reader all;
  all.progress.summary(contents, profile, {});
  CHECK_FALSE(all.has("not tuned"));
}

TEST_CASE("what a driver wrote cannot reach the terminal as it is") {
  JournalContents contents = tuned();
  contents.outcomes[2].result = OutcomeClass::kBuild;
  contents.outcomes[2].reason = "no \x1b[2Jsuch thing";
  contents.outcomes[2].shapes.clear();
  Reader r;
  r.progress.failures(contents);
  CHECK(r.has("1 build, for example gemm tile_m=2 tile_n=8: no "));
  CHECK(!r.has("\x1b"));
}

}  // namespace
}  // namespace tilewright
