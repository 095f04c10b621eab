// Tests of the summary at the end of a tuning, with artificial journals.
#include "tuner/tuning/summary.hpp"

#include <algorithm>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "tuner/search/warm_start.hpp"
#include "tuner/select/baseline.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

const GemmShape kShape{64, 64, 64};

// A built-in kernel and two candidates of a search, one of them with a bias.
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

struct Summary {
  std::vector<std::string> lines;

  Summary(const JournalContents& contents, const Profile& profile)
      : lines(summary_lines(contents, profile)) {}
  bool has(const std::string& part) const {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
  }
};

TEST_CASE("the summary compares the winner with the built-in kernel, and counts candidates") {
  JournalContents contents = tuned();
  contents.spent_on_s = {{kOnCandidates, 20.4}, {"finals", 2.2}};
  const Profile profile = make_profile(contents, 0, "");
  const Summary whole(contents, profile);
  CAPTURE(whole.lines);
  CHECK(whole.has("2 candidates tried: 2 ok; in the profile: "));
  CHECK(whole.has("time: candidates 20 s, finals 2 s"));
  CHECK(whole.has(" kernels: "));  // by role
  CHECK(whole.has(" gemm"));
  CHECK(whole.has("NN 64x64x64: "));
  CHECK(whole.has(", 4.00 x built-in"));
  CHECK_FALSE(whole.has("geometric mean of"));  // for a single product it would be redundant
  CHECK(
      whole.has("of the speed of the fastest finalist on each shape (geometric mean): "
                "100.0 % with 1 product kernel"));
  contents.outcomes[2].result = OutcomeClass::kWrong;
  CHECK(Summary(contents, profile).has("2 candidates tried: 1 ok, 1 wrong; "));
}

TEST_CASE("a built-in kernel for the class of the device counts as built-in") {
  JournalContents contents = tuned();
  DeviceInfo& device = contents.header.device;
  const Profile of_class = built_in_for(device).front();
  const std::vector<ParameterPoint> points = warm_points(of_class, Op::kNN, device.limits);
  const auto point = std::find_if(points.begin(), points.end(), [&](const ParameterPoint& each) {
    return to_text(each) != contents.outcomes[0].kernel.text();
  });
  REQUIRE(point != points.end());
  contents.outcomes.push_back(
      example_outcome(to_text(*point), "NN", {{kShape, {2000.0, 2001.0, 2002.0}}}, 5.0));
  const Summary summary(contents, make_profile(contents, 0, ""));
  CAPTURE(summary.lines);
  CHECK(summary.has(", 2.00 x built-in"));
}

TEST_CASE("for several products the summary has the geometric mean") {
  JournalContents contents = tuned();
  const GemmShape other{128, 128, 128};
  contents.header.shapes.push_back(other);
  const auto add = [&](std::size_t outcome, double ns) {
    ShapeSamples& samples = contents.outcomes[outcome].shapes.emplace_back();
    samples.shape = other;
    samples.ns = {ns, ns, ns};
  };
  add(0, 16000.0);
  add(1, 16000.0);
  add(2, 90000.0);
  const Summary summary(contents, make_profile(contents, 0, ""));
  CAPTURE(summary.lines);
  CHECK(summary.has("NN 64x64x64: "));
  CHECK(summary.has("2.00 x the best built-in kernel for this device, geometric mean of 2"));
}

TEST_CASE("a kernel that exceeds the peak is at 100 %, and the peak is a lower bound") {
  JournalContents contents = tuned();
  contents.rates = DeviceRates{};
  contents.rates->multiply_adds = {{4, "mad", 100.0}};
  contents.rates->peak_gflops = 100.0;
  // The three samples of a search may be noise.
  const Profile profile = make_profile(contents, 0, "");
  CHECK(profile.rates.peak_gflops == 100.0);
  const Summary few(contents, profile);
  CAPTURE(few.lines);
  CHECK(few.has("GFLOPS (>100 % of peak), 4.00 x built-in"));
  CHECK_FALSE(few.has("a lower bound"));
  std::vector<double>& samples = contents.outcomes[1].shapes[0].ns;
  samples = {1000.0, 1000.0, 1001.0, 1002.0, 1002.0};
  const Summary many(contents, make_profile(contents, 0, ""));
  CAPTURE(many.lines);
  CHECK(many.has("GFLOPS (100 % of peak), 4.00 x built-in"));
  CHECK(many.has("a lower bound of what the device can do"));
}

TEST_CASE("the summary names transpose combinations that were not tuned") {
  const JournalContents contents = tuned();
  Profile profile = make_profile(contents, 0, "");
  CHECK(Summary(contents, profile).has("not tuned: NT, TN. Products of NT, TN use kernels"));
  // The contents of a profile that the tuning extends count, too.
  for (const Op op : {Op::kNT, Op::kTN}) {
    profile.results.push_back(profile.results.front());
    profile.results.back().op = op;
  }
  CHECK_FALSE(Summary(contents, profile).has("not tuned"));
}

TEST_CASE("messages of drivers are escaped before they reach the terminal") {
  JournalContents contents = tuned();
  contents.outcomes[2].result = OutcomeClass::kBuild;
  contents.outcomes[2].reason = "no \x1b[2Jsuch thing";
  contents.outcomes[2].shapes.clear();
  const std::vector<std::string> lines = failure_lines(contents);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].rfind("1 build, for example gemm tile_m=2 tile_n=8: no ", 0) == 0);
  CHECK(lines[0].find('\x1b') == std::string::npos);
}

}  // namespace
}  // namespace tilewright
