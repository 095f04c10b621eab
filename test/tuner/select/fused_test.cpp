// Tests which kernels compute layers of networks and what the profile contains about them, with
// artificial times.
#include "tuner/select/fused.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "journal_examples.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/search/warm_start.hpp"
#include "tuner/select/finalists.hpp"

namespace tilewright {
namespace {

const GemmShape kOne{1, 64, 64};
const GemmShape kBatch{100, 64, 64};

constexpr const char* kGemm = "gemm tile_m=4 tile_n=4 vector_width=4";
constexpr const char* kGemv = "gemv narrow=m tile_wide=4 vector_width=4";
constexpr const char* kSplit = "gemm tile_m=4 split_k=4";
constexpr const char* kPanels = "gemm layout_b=C1x4R tile_m=4 tile_n=4 vector_width=4";
constexpr const char* kFusedPack = "pack from=R to=C1x4R tile_m=4 tile_n=4";
constexpr const char* kAdd = "reduce vector_width=4";

std::string text(const std::optional<ParameterPoint>& point) {
  return point ? to_text(*point) : "";
}

TEST_CASE("a fused kernel has the same point except for bias and activation") {
  CHECK(text(fused_point(parse_point(kGemm), Activation::kRelu)) ==
        std::string(kGemm) + " bias=n activation=relu");
  CHECK(text(fused_point(parse_point(kGemm), Activation::kIdentity)) ==
        std::string(kGemm) + " bias=n");
  CHECK(text(fused_point(parse_point(kGemv), Activation::kTanh)) ==
        to_text(parse_point(kGemv)) + " bias=n activation=tanh");
  CHECK_FALSE(fused_point(parse_point(kSplit), Activation::kRelu));
  CHECK_FALSE(fused_point(parse_point(kFusedPack), Activation::kRelu));
}

TEST_CASE("a fused kernel may have another form of exp() if its activation calls it") {
  const std::string sigmoid = " bias=n activation=sigmoid exp=half";
  for (const char* point : {kGemm, kGemv}) {
    const ParameterPoint plain = parse_point(point);
    CHECK(text(fused_point(plain, Activation::kSigmoid, Exponential::kHalf)) ==
          to_text(plain) + sigmoid);
    CHECK_FALSE(fused_point(plain, Activation::kRelu, Exponential::kNative));
  }
  CHECK_FALSE(fused_point(parse_point(kSplit), Activation::kSigmoid, Exponential::kNative));
}

struct FusedTimes {
  const char* kernel;
  double one_ns;  // 0: it does not support the shape
  double batch_ns;
};

// Returns a final of kernels for NN in which packing takes as long as a slow kernel.
JournalContents make_fused_final(const std::vector<FusedTimes>& entries, bool b_prepacked) {
  JournalContents contents;
  contents.header = example_header({kOne, kBatch});
  contents.header.b_prepacked = b_prepacked;
  contents.rates.emplace();
  contents.rates->launch_ns = 10.0;
  contents.packs = {example_pack(kAdd, 0.5)};
  contents.packs.push_back(example_pack(kFusedPack, 0.5));
  std::map<std::string, double> one;
  std::map<std::string, double> batch;
  for (const FusedTimes& entry : entries) {
    contents.finals.kernels.push_back(parse_kernel(entry.kernel));
    if (entry.one_ns > 0.0) one[entry.kernel] = entry.one_ns;
    if (entry.batch_ns > 0.0) batch[entry.kernel] = entry.batch_ns;
    contents.outcomes.push_back(example_outcome(entry.kernel, "NN", {}, 1.0));
  }
  contents.finals.outcomes = example_finals(kOne, one);
  for (const Outcome& more : example_finals(kBatch, batch))
    contents.finals.outcomes.push_back(more);
  return contents;
}

std::vector<FusedTask> make_fused_tasks(const JournalContents& contents) {
  const Standings all = standings(contents);
  return fused_tasks(all, choose_portfolio(all, 0));
}

TEST_CASE("chosen kernels are tried as fused kernels on the shapes where they are the best") {
  const JournalContents contents =
      make_fused_final({{kGemm, 1000.0, 3000.0}, {kGemv, 400.0, 0.0}}, false);
  const std::vector<FusedTask> tasks = make_fused_tasks(contents);
  REQUIRE(tasks.size() == 2);
  for (const FusedTask& task : tasks) {
    const bool gemm = task.plain == parse_kernel(kGemm);
    CHECK(task.shapes == std::vector<GemmShape>{gemm ? kBatch : kOne});
    REQUIRE(task.plain_ns.size() == 1);
    CHECK(task.plain_ns[0] == Approx(gemm ? 3000.0 : 400.0).epsilon(0.01));
  }
}

TEST_CASE("kernels for other ops are not tried as fused kernels") {
  JournalContents contents = make_fused_final({{kGemm, 1000.0, 3000.0}}, false);
  contents.header.ops = {Op::kTN};
  CHECK(make_fused_tasks(contents).empty());
}

TEST_CASE("if weights are packed only once, kernels that read packed weights are the best") {
  const std::vector<FusedTimes> entries = {{kGemm, 1000.0, 3000.0}, {kPanels, 900.0, 2500.0}};
  for (const bool b_prepacked : {false, true}) {
    const JournalContents contents = make_fused_final(entries, b_prepacked);
    const Standings all = standings(contents);
    const KernelId best = winner(all, 1);
    INFO("weights are kept: " << b_prepacked);
    REQUIRE(best == parse_kernel(b_prepacked ? kPanels : kGemm));
    // The pack kernel for the weights is in the profile all the same.
    if (!b_prepacked) continue;
    CHECK(all.time(1, best)->auxiliary.ns == 0.0);
    CHECK(find_kernel(make_profile(contents, 0, "test"), kernel_name(parse_point(kFusedPack))) !=
          nullptr);
  }
}

TEST_CASE("networks require flat and general activations, softmax, and reductions if k is split") {
  const auto task = [](const char* kernel) { return FusedTask{parse_kernel(kernel), {}, {}}; };
  const std::vector<FusedTask> plain = {task(kGemm)};
  const std::vector<FusedTask> split = {task(kGemm), task(kSplit)};
  const auto texts = [](const std::set<ParameterPoint>& requirements) {
    std::vector<std::string> result;
    for (const ParameterPoint& requirement : requirements) result.push_back(to_text(requirement));
    std::sort(result.begin(), result.end());
    return result;
  };
  using Texts = std::vector<std::string>;
  CHECK(texts(layer_requirements({Activation::kRelu}, true, plain)) ==
        Texts{"activation bias=n activation=relu",
              "activation id_order=flat bias=n activation=relu", "softmax"});
  CHECK(texts(layer_requirements({Activation::kIdentity}, false, split)) ==
        Texts{"activation bias=n", "activation id_order=flat bias=n", "reduce bias=n"});
  CHECK(texts(layer_requirements({Activation::kRelu}, false, split)).back() ==
        "reduce bias=n activation=relu");
  CHECK(layer_requirements({}, false, split).empty());
  CHECK(texts(layer_requirements({Activation::kIdentity}, true, split, Precision::kHalf)) ==
        Texts{"activation precision=h bias=n", "activation precision=h id_order=flat bias=n",
              "reduce precision=h bias=n", "softmax precision=h"});
}

JournalContents with_fused(JournalContents contents) {
  const std::string relu = std::string(kGemm) + " bias=n activation=relu";
  contents.outcomes.push_back(
      example_outcome(relu, kFused, {{kBatch, {3300.0, 3310.0, 3290.0}}}, 2.0));
  Outcome wrong = example_outcome(std::string(kGemm) + " bias=n", kFused, {}, 3.0);
  wrong.result = OutcomeClass::kWrong;
  contents.outcomes.push_back(wrong);
  // For a kernel that is not chosen.
  contents.outcomes.push_back(
      example_outcome("gemm tile_m=8 bias=n", kFused, {{kBatch, {3300.0}}}, 4.0));
  contents.packs.push_back(
      example_pack("activation tile_n=4 vector_width=4 bias=n activation=relu", 0.25));
  contents.packs.push_back(example_pack("softmax work_group_m=64", 0.75));
  contents.packs.push_back(example_pack("reduce vector_width=4 bias=n", 0.5));
  return contents;
}

TEST_CASE("a profile has the chosen kernels with their variants for networks, and their times") {
  const JournalContents contents = with_fused(make_fused_final({{kGemm, 1000.0, 3000.0}}, false));
  const Profile profile = make_profile(contents, 0, "test");
  const std::string relu = kernel_name(parse_point(std::string(kGemm) + " bias=n activation=relu"));
  REQUIRE(find_kernel(profile, relu) != nullptr);
  CHECK(find_kernel(profile, relu)->bias == Dimension::kN);
  CHECK(std::count_if(profile.kernels.begin(), profile.kernels.end(), [](const auto& kernel) {
          return kernel.role == Role::kGemm && kernel.bias != Dimension::kNone;
        }) == 1);
  const auto own = std::find_if(profile.results.begin(), profile.results.end(),
                                [&](const ShapeResult& r) { return r.kernel == relu; });
  REQUIRE(own != profile.results.end());
  CHECK(own->m == 100);
  CHECK(own->median_ns == Approx(3300.0));
  REQUIRE(profile.pack_results.size() == 2);
  CHECK(profile.pack_results[0].ns_per_element == 0.25);
  CHECK(profile.pack_results[1].ns_per_element == 0.75);
  CHECK(std::none_of(profile.kernels.begin(), profile.kernels.end(),
                     [](const KernelRecord& kernel) { return kernel.role == Role::kReduce; }));
  CHECK(parse_profile(write_profile(profile), "fused") == profile);
  // Fused kernels do not count towards the limit on kernels and are not chosen as product kernels.
  CHECK_FALSE(explain_excess(profile, 1));
  CostModel costs({Op::kNN}, {kBatch}, {});
  for (const Outcome& outcome : contents.outcomes) costs.learn(outcome);
  CHECK(choose_finalists(contents.outcomes, Op::kNN, costs).empty());
}

TEST_CASE("of the forms of exp() the fastest correct one is in the profile") {
  JournalContents contents = make_fused_final({{kGemm, 1000.0, 3000.0}}, false);
  const std::string sigmoid = std::string(kGemm) + " bias=n activation=sigmoid";
  const auto add = [&](const std::string& form, double ns) -> Outcome& {
    contents.outcomes.push_back(
        example_outcome(sigmoid + form, kFused, {{kBatch, {ns, ns, ns}}}, 2.0));
    return contents.outcomes.back();
  };
  add("", 3400.0);
  add(" exp=native", 3300.0);
  add(" exp=half", 3200.0).result = OutcomeClass::kWrong;
  const Profile profile = make_profile(contents, 0, "test");
  const auto has = [&](const std::string& form) {
    return find_kernel(profile, kernel_name(parse_point(sigmoid + form))) != nullptr;
  };
  CHECK(has(" exp=native"));
  CHECK_FALSE(has(""));
  CHECK_FALSE(has(" exp=half"));
  // Of two equally fast ones there is only one.
  contents.outcomes[contents.outcomes.size() - 2].shapes.front().ns = {3400.0, 3400.0, 3400.0};
  const Profile even = make_profile(contents, 0, "test");
  CHECK(find_kernel(even, kernel_name(parse_point(sigmoid))) != nullptr);
  CHECK(find_kernel(even, kernel_name(parse_point(sigmoid + " exp=native"))) == nullptr);
}

TEST_CASE("a tuning that starts with an older profile does not search kernels for networks") {
  JournalContents contents = make_fused_final({{kGemm, 1000.0, 3000.0}}, true);
  Profile profile = make_profile(contents, 0, "test");
  // Older tunings added kernels that write C in the layout that they read.
  profile.kernels.push_back(emit(
      parse_point("gemm layout_a=R4x4R layout_b=C4x4C layout_c=R4x4R tile_m=4 tile_n=4 tile_k=4 "
                  "vector_width=4 inner=dot edges=padded")));
  CHECK_FALSE(explain_excess(profile, 1));
  for (const ParameterPoint& point : warm_points(profile, Op::kNN, SpaceLimits{})) {
    CHECK(std::get<GemmPoint>(point).layout_c == Layout::R());
  }
}

TEST_CASE("if k is split, the reduction kernel applies bias and activation") {
  const JournalContents contents =
      with_fused(make_fused_final({{kGemm, 1000.0, 30000.0}, {kSplit, 0.0, 3000.0}}, false));
  const Profile profile = make_profile(contents, 0, "test");
  CHECK(find_kernel(profile, kernel_name(parse_point("reduce vector_width=4 bias=n"))) != nullptr);
  CHECK(find_kernel(profile, kernel_name(parse_point(kAdd))) != nullptr);
}

}  // namespace
}  // namespace tilewright
