// Tests of the summary at the end of a tuning, with artificial journals.
#include "tuner/tuning/report/summary.hpp"

#include <algorithm>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "tuner/select/baseline.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

// A built-in kernel and two candidates of a search, one of them with a bias.
JournalContents tuned() {
  JournalContents contents;
  contents.header = example_header({kSmall});
  contents.header.ops = {Op::kNN};
  const std::string built_in = Baseline(contents.header).ranking(Op::kNN, kSmall).front().text();
  contents.outcomes = {
      example_outcome(built_in, kBuiltIn, {{kSmall, {4000.0, 4001.0, 4002.0}}}, 1.0),
      example_outcome("gemm tile_m=4 tile_n=8", "NN", {{kSmall, {1000.0, 1001.0, 1002.0}}}, 2.0),
      example_outcome("gemm tile_m=2 tile_n=8", "NN", {{kSmall, {9000.0, 9001.0, 9002.0}}}, 3.0),
      example_outcome("gemm tile_m=4 tile_n=8 bias=n", kFused, {{kSmall, {1000.0, 1001.0}}}, 4.0)};
  return contents;
}

struct Summary {
  std::vector<std::string> lines;

  Summary(const JournalContents& contents, const Profile& profile)
      : lines(verdict_lines(contents, profile)) {
    for (const std::string& line : summary_lines(contents, profile, true)) lines.push_back(line);
  }
  bool has(const std::string& part) const {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
  }
};

TEST_CASE("the summary compares the winner with the built-in kernel, and counts candidates") {
  JournalContents contents = tuned();
  contents.spent.by_activity_s = {{kOnCandidates, 20.4}, {"finals", 2.2}};
  const Profile profile = make_profile(contents, 0, "");
  const Summary whole(contents, profile);
  CAPTURE(whole.lines);
  CHECK(whole.has("2 candidates tried: 2 ok; in the profile: "));
  CHECK(whole.has("time: candidates 20 s, finals 2 s"));
  CHECK(whole.has(" product kernels ("));
  CHECK(whole.has("NN 64x64x64: "));
  CHECK(whole.has(", 4.00 x built-in"));
  CHECK(whole.lines[0].find("on 1 tuned product, the best kernels are 4.00 (4.00 to 4.00) x") == 0);
  CHECK(whole.has(
      "speed with fewer kernels, relative to the fastest kernel on each shape (geometric mean): "
      "25.0 % with built-in kernels alone, 100.0 % with 1 more product kernel"));
  // Names of kernels and figures for experts are details.
  for (const std::string& line : summary_lines(contents, profile, false)) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
    CHECK(line.find("sgemm_") == std::string::npos);
    CHECK(line.find("fewer kernels") == std::string::npos);
    CHECK(line.find("time: ") == std::string::npos);
  }
  contents.outcomes[2].result = OutcomeClass::kWrong;
  CHECK(Summary(contents, profile).has("2 candidates tried: 1 ok, 1 wrong; "));
}

TEST_CASE("without a time of a built-in kernel the summary says so") {
  JournalContents contents = tuned();
  contents.outcomes.erase(contents.outcomes.begin());
  const std::vector<std::string> lines = verdict_lines(contents, make_profile(contents, 0, ""));
  CHECK_THAT(lines.at(0), Catch::Matchers::ContainsSubstring("1 tuned product"));
}

TEST_CASE("for several products the summary has the geometric mean") {
  JournalContents contents = tuned();
  const GemmShape other{64, 64, 68};
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
  CHECK(summary.has("2 tuned products, the best kernels are 2.00 (1.00 to 4.00) x as fast"));
  CHECK(summary.has("NN               2  2.00 (1.00 to 4.00)   "));
}

TEST_CASE("the summary of a validated tuning begins with what calls gain") {
  Profile profile = make_profile(tuned(), 0, "");
  profile.validations = {{60, 0.984, 0.91, 1.31, 1.0}};
  const Summary summary(tuned(), profile);
  CAPTURE(summary.lines);
  REQUIRE(summary.lines.size() > 3);
  CHECK(summary.lines[0].find("60 new products run at 1.31 x the built-in speed") == 0);
  CHECK(summary.lines[1].find("the chosen plan reaches 98.4 %") == 0);
  CHECK(summary.lines[2].find("op  tuned products") == 0);
}

TEST_CASE("the summary is about the kernels of the profile, not about all that were measured") {
  Profile profile = make_profile(tuned(), 0, "");
  const KernelId best = tuned().outcomes[1].kernel;
  std::erase_if(profile.kernels,
                [&](const KernelRecord& kernel) { return kernel.name == best.facts().name; });
  const Summary summary(tuned(), profile);
  CAPTURE(summary.lines);
  CHECK(summary.has(
      "on 1 tuned product, nothing better than the built-in kernels was found; there were no finals"));
  CHECK_FALSE(summary.has("x as fast"));
}

TEST_CASE("the summary counts random products that could not be measured, and says why") {
  JournalContents contents = tuned();
  const Profile profile = make_profile(contents, 0, "");
  CHECK_FALSE(Summary(contents, profile).has("could not be measured"));
  ValidatedProduct product;
  product.shape = {30, 20, 10};
  product.failure = "it is too large\nsecond line";
  ValidatedProduct measured;
  measured.plans = {example_plan("gemm", kSmall, 1.0)};
  contents.products = {measured, measured, product, measured};
  CHECK(Summary(contents, profile)
            .has("1 of 4 random products could not be measured, for example NN 30x20x10: it is too "
                 "large"));
}

TEST_CASE("a kernel that failed on a random product is listed once") {
  JournalContents contents = tuned();
  Outcome failed = contents.outcomes[1];
  failed.task = kValidating;
  failed.result = OutcomeClass::kWrong;
  failed.reason = "it computes 1 instead of 2";
  contents.outcomes.push_back(failed);
  const std::vector<std::string> lines = failure_lines(contents);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::Matchers::ContainsSubstring("tile_m=4 tile_n=8"));
}

TEST_CASE("the peak is the largest rate seen") {
  JournalContents contents = tuned();
  contents.rates.emplace();
  contents.rates->multiply_adds = {{4, "mad", 100.0}};
  contents.rates->peak_gflops = 100.0;
  const Profile profile = make_profile(contents, 0, "");
  CHECK(profile.rates.peak_gflops > 500.0);
  const Summary summary(contents, profile);
  CAPTURE(summary.lines);
  CHECK(summary.has("GFLOPS (100 % of peak), 4.00 x built-in"));
}

TEST_CASE("the summary names products that the profile does not cover") {
  const JournalContents contents = tuned();
  Profile profile = make_profile(contents, 0, "");
  profile.provenance.not_covered = "NT, TN; NN with an extent below 16";
  const Summary summary(contents, profile);
  CAPTURE(summary.lines);
  CHECK(summary.has("not covered, built-in kernels run: NT, TN; NN with an extent below 16"));
  CHECK(summary.has("without --ops and --shapes"));
}

TEST_CASE("the summary names --ops and --shapes only if they limited the tuning") {
  JournalContents contents = tuned();
  contents.header.ops = {Op::kNN, Op::kNT, Op::kTN};
  contents.header.designed = 1;
  Profile profile = make_profile(contents, 0, "");
  profile.provenance.not_covered = "NN with far more work than 64x64x64";
  CHECK_FALSE(Summary(contents, profile).has("--ops"));
  contents.header.designed = 0;
  CHECK(Summary(contents, profile).has("--ops"));
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
