// Tests which kernels take part in the finals, and how long these are predicted to take.
#include "tuner/tuning/decide.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "journal_examples.hpp"
#include "tuner/search/pack_requirements.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/tune_context.hpp"

using namespace tilewright;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr GemmShape kSearchedShape{256, 256, 256};

// Returns a search of 24 candidates, of which the first are the fastest.
JournalContents searched() {
  JournalContents contents;
  contents.header = example_header({kSearchedShape});
  contents.rates.emplace();
  contents.rates->copy_gbytes_per_s = 100.0;
  double ns = 1e6;
  for (const int m : {1, 2, 3, 4, 6, 8}) {
    for (const int n : {1, 2, 3, 4}) {
      contents.outcomes.push_back(example_outcome(fmt::format("gemm tile_m={} tile_n={}", m, n),
                                                  "NN", {{kSearchedShape, {ns, ns, ns}}}, 1.0));
      ns *= 1.01;
    }
  }
  return contents;
}

std::optional<Finalists> finalists_in(double left_s, const JournalContents& contents,
                                      const TuneOptions& options = {}) {
  return decide_finalists(final_candidates(contents, options), contents, options, left_s);
}

}  // namespace

TEST_CASE("finalists are chosen again after candidates that could not be among them") {
  JournalContents contents = searched();
  CHECK(needs_finalists(contents));
  contents.finals = Finalists{{contents.outcomes[0].kernel}, {}, 5.0};
  CHECK_FALSE(needs_finalists(contents));
  contents.outcomes.push_back(example_outcome("gemm tile_m=12", kFused, {}, 6.0));
  CHECK_FALSE(needs_finalists(contents));
  const std::string task = GENERATE("NN", "packed", kBuiltIn);
  contents.outcomes.push_back(example_outcome("gemm tile_m=16", task, {}, 7.0));
  CHECK(needs_finalists(contents));
}

TEST_CASE("the less time is left, the fewer finalists take part, but at least three") {
  const JournalContents contents = searched();
  const std::size_t all = finalists_in(1e6, contents)->kernels.size();
  CHECK(all == contents.outcomes.size());
  std::size_t before = all;
  for (const double left_s : {20.0, 2.0, 1.0, 0.5, 0.0}) {
    const std::vector<KernelId> kernels = finalists_in(left_s, contents)->kernels;
    CHECK(kernels.size() <= before);
    before = kernels.size();
    CHECK(kernels[0] == contents.outcomes[0].kernel);
  }
  CHECK(before == 3);
}

TEST_CASE("results of earlier finals are kept if there is no time for new ones") {
  JournalContents contents = searched();
  const std::string chosen = "gemm tile_m=8 tile_n=4";  // the slowest in the search
  contents.finals = Finalists{{parse_kernel(chosen)}, {}, 5.0};
  contents.finals.outcomes = example_finals(kSearchedShape, {{chosen, 1e5}});
  CHECK_FALSE(finalists_in(0.0, contents));
  const auto finalists = finalists_in(1e6, contents);
  REQUIRE(finalists);
  CHECK(finalists->kernels[0] == parse_kernel(chosen));
}

TEST_CASE("with a limited number of rounds, more time does not add finalists") {
  TuneOptions options;
  options.rounds = 5;
  const JournalContents contents = searched();
  CHECK(finalists_in(1e3, contents, options) == finalists_in(1e6, contents, options));
  CHECK(finalists_in(1e6, contents, options)->kernels.size() < contents.outcomes.size());
}

TEST_CASE("built-in kernels that work are baselines, and kernels that fail later take no part") {
  JournalContents contents = searched();
  const std::string built_in = "gemm tile_m=12 tile_n=4";
  contents.outcomes.push_back(
      example_outcome(built_in, kBuiltIn, {{kSearchedShape, {9e6, 9e6, 9e6}}}, 1.0));
  CHECK(finalists_in(0.0, contents)->baselines == std::vector{parse_kernel(built_in)});
  Outcome fails = contents.outcomes[0];
  fails.task = kQuarantine;
  fails.result = OutcomeClass::kHang;
  contents.outcomes.push_back(fails);
  const std::vector<KernelId> kernels = finalists_in(1e6, contents)->kernels;
  CHECK(std::count(kernels.begin(), kernels.end(), fails.kernel) == 0);
  CHECK(std::count(kernels.begin(), kernels.end(), parse_kernel(built_in)) == 1);
}

TEST_CASE("without a candidate that works there are no finals, and the last failure is named") {
  JournalContents contents = searched();
  for (Outcome& outcome : contents.outcomes) {
    outcome.result = OutcomeClass::kWrong;
    outcome.reason = "c(3, 4) is wrong";
  }
  CHECK_THROWS_WITH(final_candidates(contents, {}), ContainsSubstring("NN") &&
                                                        ContainsSubstring("board") &&
                                                        ContainsSubstring("c(3, 4) is wrong"));
  contents.outcomes.clear();
  CHECK_THROWS_AS(final_candidates(contents, {}), NothingTried);
}

using Requirements = std::set<ParameterPoint>;

// Returns what the finals of these kernels require, the best first.
Requirements required(const std::vector<std::string>& finalists, const JournalContents& contents,
                      const TuneOptions& options = {}) {
  FinalCandidates candidates;
  for (const std::string& kernel : finalists) {
    candidates.by_op[Op::kNN].finalists.push_back(parse_kernel(kernel));
  }
  return required_auxiliaries(candidates, contents, options);
}

const PackPoint kTransposition;
const std::string kPanels = "gemm layout_b=C1x4R tile_m=4 tile_n=4 vector_width=4";
const PackPoint kOfPanels = pack_requirement_b(parse_kernel(kPanels).facts(), Op::kNN);

TEST_CASE("finals require packings of finalists, and a reduction if one splits k") {
  const JournalContents contents = searched();
  CHECK(required({"gemm tile_m=4"}, contents) == Requirements{kTransposition});
  CHECK(required({"gemm tile_m=4", kPanels}, contents) == Requirements{kTransposition, kOfPanels});
  CHECK(required({"gemm tile_m=4 split_k=2"}, contents) ==
        Requirements{kTransposition, ReducePoint{}});
  JournalContents half = contents;
  half.header.precision = Precision::kHalf;
  const PackPoint of_half{.precision = Precision::kHalf};
  CHECK(required({"gemm precision=h"}, half) == Requirements{of_half});
}

TEST_CASE("finals require nothing for finalists that only much time would allow") {
  JournalContents contents = searched();
  std::vector<std::string> finalists;
  for (std::size_t i = 0; i < 11; ++i) finalists.push_back(contents.outcomes[i].kernel.text());
  finalists.push_back(kPanels);  // the last of six by cost and six on the screening shape
  CHECK(required(finalists, contents).contains(kOfPanels));
  finalists.insert(finalists.begin(), contents.outcomes[11].kernel.text());
  CHECK_FALSE(required(finalists, contents).contains(kOfPanels));
  // A built-in kernel takes part in any case.
  contents.outcomes.push_back(example_outcome(kPanels, kBuiltIn, {{kSearchedShape, {1e6}}}, 2.0));
  CHECK(required(finalists, contents).contains(kOfPanels));
}

TEST_CASE("finals with large operands require packings of the extended profile, too") {
  JournalContents contents = searched();
  TuneOptions options;
  options.joins.emplace();
  options.joins->kernels = {emit(PackPoint{.to = *parse_layout("C1x8R")})};
  CHECK(required({"gemm"}, contents, options) == Requirements{kTransposition});
  contents.header.shapes.push_back({16, 4000, 1000});
  const Requirements transpositions = {kTransposition, large(kTransposition)};
  CHECK(required({"gemm"}, contents) == transpositions);
  Requirements all = transpositions;
  all.merge(large_pack_requirements(*options.joins));
  CHECK(all.size() == 3);
  CHECK(required({"gemm"}, contents, options) == all);
}

TEST_CASE("a launch is expected to take as long as the last one, or follows from the search") {
  const KernelId kernel = parse_kernel("gemm tile_m=2");
  const GemmShape twice{512, 256, 256};
  const GemmShape tiny{4, 4, 4};
  JournalContents contents;
  contents.outcomes = {
      example_outcome("gemm tile_m=2", "NN", {{tiny, {1e3}}, {kSearchedShape, {1e6}}}, 1.0)};
  ExpectedTimes times(contents);
  CHECK(times.predict_ns({kernel, parse_kernel("gemm")}, twice) == std::vector{2e6, 0.0});
  times.learn(example_finals(twice, {{"gemm tile_m=2", 7e5}}, 2));
  CHECK(times.predict_ns({kernel}, twice)[0] == Approx(7e5));
  CHECK(times.predict_ns({kernel}, kSearchedShape)[0] == 1e6);
}
