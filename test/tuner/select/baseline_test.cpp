// Tests of the built-in kernels in the journal and in the profile of a tuning.
#include "tuner/select/baseline.hpp"

#include <algorithm>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "codelets/space/generic_profile.hpp"
#include "journal_examples.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

const GemmShape kBaselineShape{64, 64, 64};

Outcome make_outcome(const KernelId& kernel, const char* phase, OutcomeClass result) {
  Outcome outcome =
      example_outcome(kernel.text(), phase, {{kBaselineShape, {100.0, 101.0, 102.0}}}, 1.0);
  outcome.result = result;
  return outcome;
}

TEST_CASE(
    "the built-in kernels of an op are those of the built-in profile, unchanged and in its order") {
  const SpaceLimits limits = example_header({kBaselineShape}).device.limits;
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    std::vector<KernelId> expected;
    for (const KernelRecord& record : basic_profile().kernels) {
      const bool reads = record.role == Role::kGemm && record.layout_a == op_layout_a(op) &&
                         record.layout_b == op_layout_b(op);
      if (reads) expected.push_back(parse_kernel(record.point));
    }
    CHECK(built_in_kernels(op, limits) == expected);
    CHECK(expected.size() >= 2);
  }
  CHECK(built_in_kernels(Op::kTT, limits).empty());
}

TEST_CASE("the results of built-in kernels are known per shape") {
  const SpaceLimits limits = example_header({kBaselineShape}).device.limits;
  const std::vector<KernelId> kernels = built_in_kernels(Op::kNN, limits);
  const GemmShape large{512, 512, 512};
  std::vector<Outcome> outcomes;
  const auto has = [&](const GemmShape& shape) {
    return has_baseline(outcomes, Op::kNN, shape, limits);
  };
  CHECK(!has(kBaselineShape));
  // A search may have tried the same point, but on other shapes.
  outcomes.push_back(make_outcome(kernels[0], "NN", OutcomeClass::kOk));
  CHECK(!has(kBaselineShape));
  outcomes.push_back(make_outcome(kernels[0], kBuiltIn, OutcomeClass::kBuild));
  CHECK(!has(kBaselineShape));
  CHECK(working_built_in(outcomes, Op::kNN, limits).empty());
  outcomes.push_back(make_outcome(kernels[1], kBuiltIn, OutcomeClass::kOk));
  CHECK(has(kBaselineShape));
  CHECK(has(large) == (kernels.size() == 2));
  CHECK(working_built_in(outcomes, Op::kNN, limits) == std::vector<KernelId>{kernels[1]});
  // All were tried, and none can be measured on this shape.
  for (std::size_t i = 2; i < kernels.size(); ++i) {
    outcomes.push_back(make_outcome(kernels[i], kBuiltIn, OutcomeClass::kWrong));
  }
  CHECK(has(large));
}

TEST_CASE("a profile marks the shapes on which no built-in kernel can be measured") {
  const GemmShape large{512, 512, 512};
  JournalContents contents;
  contents.header = example_header({kBaselineShape, large});
  contents.header.ops = {Op::kNN};
  const auto kernels = built_in_kernels(Op::kNN, contents.header.device.limits);
  const std::string winner = "gemm tile_m=4 tile_n=8 vector_width=4";
  contents.outcomes = {
      example_outcome(kernels[0].text(), kBuiltIn, {{kBaselineShape, {1000.0, 1001.0, 1002.0}}},
                      1.0),
      example_outcome(winner, "NN", {{kBaselineShape, {100.0, 101.0}}, {large, {500.0, 501.0}}},
                      2.0)};
  const auto compared = [&](const GemmShape& shape) {
    for (const ShapeResult& result : make_profile(contents, 1, "").results) {
      const bool is_winner = result.kernel == emit(parse_point(winner)).name;
      if (is_winner && result.m == shape.m) return result.compared;
    }
    throw std::runtime_error("no result");
  };
  CHECK(!compared(kBaselineShape));  // the profile has a result of the built-in kernel for it
  CHECK(!compared(large));           // other built-in kernels may be measurable
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    contents.outcomes.push_back(make_outcome(kernels[i], kBuiltIn, OutcomeClass::kSlow));
    contents.outcomes.back().shapes.clear();
  }
  CHECK(!compared(kBaselineShape));
  CHECK(compared(large));
}

TEST_CASE("a profile contains the built-in kernel with its times, even if it lost everywhere") {
  JournalContents contents;
  contents.header = example_header({kBaselineShape});
  contents.header.ops = {Op::kNN};
  const std::string built_in =
      built_in_kernels(Op::kNN, contents.header.device.limits).front().text();
  const std::string winner = "gemm tile_m=4 tile_n=8 vector_width=4";
  contents.outcomes = {
      example_outcome(built_in, kBuiltIn, {{kBaselineShape, {1000.0, 1001.0, 1002.0}}}, 1.0),
      example_outcome(winner, "NN", {{kBaselineShape, {100.0, 101.0, 102.0}}}, 2.0)};
  const Profile profile = make_profile(contents, 1, "");
  const auto expected_time = [&](const std::string& point) {
    const std::string name = emit(parse_point(point)).name;
    const auto found =
        std::find_if(profile.results.begin(), profile.results.end(),
                     [&](const ShapeResult& result) { return result.kernel == name; });
    return found == profile.results.end() ? 0.0 : found->median_ns;
  };
  CHECK(expected_time(winner) == 101.0);
  CHECK(expected_time(built_in) == 1001.0);
}

TEST_CASE("a built-in kernel that failed in the finals is not in the profile") {
  JournalContents contents;
  contents.header = example_header({kBaselineShape});
  contents.header.ops = {Op::kNN};
  const KernelId built_in = built_in_kernels(Op::kNN, contents.header.device.limits).front();
  const std::string winner = "gemm tile_m=4 tile_n=8 vector_width=4";
  contents.outcomes = {
      example_outcome(built_in.text(), kBuiltIn, {{kBaselineShape, {1000.0}}}, 1.0),
      example_outcome(winner, "NN", {{kBaselineShape, {100.0}}}, 2.0)};
  contents.lineup = Lineup{{built_in, parse_kernel(winner)}, {{Op::kNN, 0}, {Op::kNN, 1}}, {0}};
  contents.rounds = example_rounds(kBaselineShape, {{1, 100.0}});
  const std::string& name = built_in.facts().name;
  CHECK(find_kernel(make_profile(contents, 1, ""), name) != nullptr);
  contents.finalist_failures = {{0, "hang"}};
  CHECK(find_kernel(make_profile(contents, 1, ""), name) == nullptr);
}

}  // namespace
}  // namespace tilewright
