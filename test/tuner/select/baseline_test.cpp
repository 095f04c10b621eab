// Tests of the built-in kernels in the journal and in the profile of a tuning.
#include "tuner/select/baseline.hpp"

#include <algorithm>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "first_plans.hpp"
#include "journal_examples.hpp"
#include "profiles/built_in.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

const GemmShape kBaselineShape{64, 64, 64};
const std::string kWinner = "gemm tile_m=4 tile_n=8 vector_width=4";

// The built-in kernel takes 1000 ns, and the kernel that a search found takes 100 ns.
JournalContents tuned_contents() {
  JournalContents contents;
  contents.header = example_header({kBaselineShape});
  const KernelId built_in = Baseline(contents.header).ranking(Op::kNN, kBaselineShape).front();
  contents.outcomes = {
      example_outcome(built_in.text(), kBuiltIn, {{kBaselineShape, {999.0, 1000.0, 1001.0}}}, 1.0),
      example_outcome(kWinner, "NN", {{kBaselineShape, {99.0, 100.0, 101.0}}}, 2.0)};
  return contents;
}

const KernelRecord* plan_kernel(const Profile& profile, const KernelId& kernel) {
  return find_kernel(profile, kernel.facts().name);
}

double expected_time(const Profile& profile, const KernelId& kernel) {
  const auto found =
      std::find_if(profile.results.begin(), profile.results.end(),
                   [&](const ShapeResult& result) { return result.kernel == kernel.facts().name; });
  return found == profile.results.end() ? 0.0 : found->median_ns;
}

TEST_CASE("the baseline is what the library's planner takes without a profile") {
  for (const DeviceKind kind : {DeviceKind::kCpu, DeviceKind::kGpu, DeviceKind::kOther}) {
    JournalHeader header = example_header({kBaselineShape});
    header.device.kind = kind;
    header.device.native_vector_width = 16;
    header.device.max_buffer_bytes = std::uint64_t{1} << 30;
    const Profile built_in = built_in_profile(header.device);
    const Baseline baseline(header);
    for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
      for (const GemmShape& shape : {kBaselineShape, GemmShape{1, 1000, 784}}) {
        const auto plans = rank_plans({&built_in}, header.device, dense_problem(op, shape));
        const std::vector<KernelId> ranking = baseline.ranking(op, shape);
        REQUIRE(ranking.size() == plans.size());
        CHECK(ranking.front().text() == plans.front().kernel().point);
        const std::vector<KernelId> kernels = baseline.kernels({op}, {shape});
        REQUIRE(kernels.size() <= 3);
        CHECK(std::equal(kernels.begin(), kernels.end(), ranking.begin()));
      }
    }
  }
}

TEST_CASE("built-in kernels that fail leave the next one as what runs without a profile") {
  JournalContents contents = tuned_contents();
  const Baseline baseline(contents.header);
  const auto ranking = baseline.ranking(Op::kNN, kBaselineShape);
  REQUIRE(ranking.size() >= 2);
  const auto first = [&] {
    return baseline.first_that_works(contents.outcomes, Op::kNN, kBaselineShape);
  };
  CHECK(first() == ranking[0]);
  contents.outcomes[0].result = OutcomeClass::kBuild;
  CHECK_FALSE(first());  // the next one was not tried
  contents.outcomes.push_back(
      example_outcome(ranking[1].text(), kBuiltIn, {{kBaselineShape, {2000.0}}}, 3.0));
  CHECK(first() == ranking[1]);
  CHECK(working_built_in(contents.outcomes) == std::vector<KernelId>{ranking[1]});
  // An application without a profile runs this kernel, however slow it is, so no other kernel is
  // the baseline.
  contents.outcomes[0].result = OutcomeClass::kSlow;
  CHECK_FALSE(first());
}

TEST_CASE("a profile has the times of built-in kernels, and no text of theirs") {
  const JournalContents contents = tuned_contents();
  const Profile profile = make_profile(contents, 1, "");
  const KernelId& built_in = contents.outcomes[0].kernel;
  CHECK(expected_time(profile, parse_kernel(kWinner)) == 100.0);
  CHECK(expected_time(profile, built_in) == 1000.0);
  REQUIRE(plan_kernel(profile, built_in) != nullptr);
  CHECK(plan_kernel(profile, built_in)->built_in);
  CHECK_FALSE(plan_kernel(profile, parse_kernel(kWinner))->built_in);
  const std::string text = write_profile(profile);
  CHECK(text.find("[[built_in]]\nname = \"" + built_in.facts().name + "\"") != std::string::npos);
  CHECK(text.find("point = \"" + built_in.text() + "\"") == std::string::npos);
  CHECK(parse_profile(text, "baseline") == profile);
  check_first_plans(contents, profile);
}

TEST_CASE("where built-in kernels are as fast, a profile has no others") {
  JournalContents contents = tuned_contents();
  contents.outcomes[1].shapes[0].ns = {999.0, 1000.0, 1001.0};
  const Profile profile = make_profile(contents, 0, "");
  CHECK(plan_kernel(profile, parse_kernel(kWinner)) == nullptr);
  CHECK(plan_kernel(profile, contents.outcomes[0].kernel) != nullptr);
  check_first_plans(contents, profile);
}

TEST_CASE("a built-in kernel that failed in the finals is not in the profile") {
  JournalContents contents = tuned_contents();
  const KernelId built_in = contents.outcomes[0].kernel;
  contents.finals = Finalists{{built_in, parse_kernel(kWinner)}, {built_in}};
  contents.finals.outcomes =
      example_finals(kBaselineShape, {{built_in.text(), 1000.0}, {kWinner, 100.0}});
  CHECK(plan_kernel(make_profile(contents, 1, ""), built_in) != nullptr);
  Outcome hung = example_outcome(built_in.text(), kFinals, {}, 3.0);
  hung.result = OutcomeClass::kHang;
  contents.finals.outcomes.push_back(hung);
  const Profile profile = make_profile(contents, 1, "");
  CHECK(plan_kernel(profile, built_in) == nullptr);
  REQUIRE(profile.failing_built_in.size() == 1);
  CHECK(profile.failing_built_in[0].name == built_in.facts().name);
}

TEST_CASE("the library does not run a built-in kernel that failed in the tuning") {
  JournalContents contents = tuned_contents();
  const KernelId built_in = contents.outcomes[0].kernel;
  const auto first_plan = [&] {
    const Profile profile = make_profile(contents, 1, "");
    const Profile rest = built_in_profile(contents.header.device, profile);
    return rank_plans({&profile, &rest}, contents.header.device,
                      dense_problem(Op::kNN, kBaselineShape))
        .front()
        .kernel()
        .name;
  };
  for (const OutcomeClass failure :
       {OutcomeClass::kWrong, OutcomeClass::kLaunch, OutcomeClass::kHang, OutcomeClass::kBuildCrash,
        OutcomeClass::kBuild}) {
    contents.outcomes[0].result = failure;
    CHECK(make_profile(contents, 1, "").failing_built_in.size() == 1);
    CHECK(first_plan() != built_in.facts().name);
  }
  // One that is too slow for the tuning works.
  contents.outcomes[0].result = OutcomeClass::kSlow;
  CHECK(make_profile(contents, 1, "").failing_built_in.empty());
  // One that is too slow for every product is not known, and would run before all others.
  contents.outcomes[0].shapes[0].ns.clear();
  CHECK(make_profile(contents, 1, "").failing_built_in.size() == 1);
  CHECK(first_plan() != built_in.facts().name);
}

}  // namespace
}  // namespace tilewright
