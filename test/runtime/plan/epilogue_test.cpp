// Tests the plans for a product of a layer, with a bias and an activation. Uses artificial records
// and results, and no device.
#include "runtime/call/epilogue.hpp"

#include "catch.hpp"
#include "plan_records.hpp"
#include "runtime/plan/layer_kernels.hpp"
#include "runtime/plan/route_cache.hpp"

namespace tilewright {
namespace {

constexpr LayerEpilogue kBias{true, Activation::kIdentity};
constexpr LayerEpilogue kOnlyRelu{false, Activation::kRelu};
constexpr LayerEpilogue kBoth{true, Activation::kRelu};

// The record with a bias along n (or none) and an activation.
KernelRecord with(KernelRecord record, const LayerEpilogue& epilogue) {
  record.bias = epilogue.bias ? Dimension::kN : Dimension::kNone;
  record.activation = epilogue.activation;
  return record;
}

KernelRecord activation(const std::string& name, const LayerEpilogue& epilogue) {
  KernelRecord record;
  record.name = name;
  record.role = Role::kActivation;
  record.epilogue = Epilogue::kNone;
  return with(record, epilogue);
}

GemmProblem layer(const GemmShape& shape, const LayerEpilogue& epilogue) {
  GemmProblem problem = make_problem(Op::kNN, shape);
  problem.epilogue = epilogue;
  return problem;
}

std::vector<GemmPlan> rank(const Profile& profile, const LayerEpilogue& epilogue) {
  return rank_plans({&profile}, kOffered, layer({8, 8, 8}, epilogue));
}

TEST_CASE("a kernel implements an epilogue exactly, or with zeros as the bias") {
  const auto met = [](const LayerEpilogue& does, const LayerEpilogue& epilogue) {
    return implements_epilogue(with({}, does), epilogue);
  };
  for (const LayerEpilogue& epilogue : {LayerEpilogue{}, kBias, kOnlyRelu, kBoth})
    CHECK(met(epilogue, epilogue));
  CHECK(met(kBoth, kOnlyRelu));
  CHECK_FALSE(met(kBias, {}));
  CHECK_FALSE(met({}, kBias));
  CHECK_FALSE(met(kOnlyRelu, kBoth));
  CHECK_FALSE(met(kBias, kBoth));
  CHECK_FALSE(met(kBoth, kBias));
  CHECK_FALSE(met(kOnlyRelu, {}));
  KernelRecord rows = with({}, kBias);
  rows.bias = Dimension::kM;
  CHECK_FALSE(implements_epilogue(rows, kBias));
}

TEST_CASE("a layer uses a fused kernel, or a plain kernel followed by an activation kernel") {
  const Profile profile = generic({with(gemm("fused", Op::kNN), kBoth), gemm("plain", Op::kNN),
                                   activation("after", kBoth), activation("bias alone", kBias),
                                   with(gemm("wrong", Op::kNN), kBias)});
  const auto plans = rank(profile, kBoth);
  REQUIRE(names(plans) == Names{"fused", "plain"});
  CHECK(plans[0].choices[CallStep::kFinish].empty());
  CHECK(names(plans[1].choices[CallStep::kFinish]) == Names{"after"});
  CHECK(plans[1].times.ns[CallStep::kFinish] > 0.0);
  CHECK(reason_text(plans[1]).find("bias and activation after it") != std::string::npos);
  // There is no kernel for tanh.
  CHECK(rank(profile, {false, Activation::kTanh}).empty());
  // Only plain kernels compute a plain product.
  REQUIRE(names(rank(profile, {})) == Names{"plain"});
  CHECK(rank(profile, {}).at(0).choices[CallStep::kFinish].empty());
}

TEST_CASE("if C is read, no epilogue is supported") {
  const Profile profile = generic(
      {with(gemm("fused", Op::kNN), kBoth), gemm("plain", Op::kNN), activation("after", kBoth)});
  GemmProblem problem = layer({8, 8, 8}, kBoth);
  problem.beta = 1.0f;
  CHECK(rank_plans({&profile}, kOffered, problem).empty());
}

TEST_CASE("the reduction of a split k implements the epilogue, or leaves it to another kernel") {
  KernelRecord split = gemm("split", Op::kNN);
  split.split_k = 4;
  const Profile both = generic(
      {split, reduce("sum"), with(reduce("sum and relu"), kBoth), activation("after", kBoth)});
  const auto fused = rank(both, kBoth);
  REQUIRE(names(fused) == Names{"split"});
  CHECK((names(fused[0].choices[CallStep::kReduce]) == Names{"sum and relu"} &&
         fused[0].choices[CallStep::kFinish].empty()));
  CHECK(names(rank(both, {}).at(0).choices[CallStep::kReduce]) == Names{"sum"});
  const Profile plain = generic({split, reduce("sum"), activation("after", kBoth)});
  const auto apart = rank(plain, kBoth);
  REQUIRE(apart.size() == 1);
  CHECK((names(apart[0].choices[CallStep::kReduce]) == Names{"sum"} &&
         names(apart[0].choices[CallStep::kFinish]) == Names{"after"}));
}

TEST_CASE("a fused kernel without a result takes as long as its plain counterpart") {
  KernelRecord plain = gemm("plain", Op::kNN);
  plain.family = "4 x 4";
  KernelRecord fused = with(gemm("fused", Op::kNN), kBoth);
  fused.family = "4 x 4";
  KernelRecord other = with(gemm("other", Op::kNN), kBoth);
  other.family = "4 x 8";
  Profile profile =
      tuned({other, fused, plain, activation("after", kBoth)}, {result(Op::kNN, 8, "plain", 500)});
  const auto plans = rank(profile, kBoth);
  REQUIRE(names(plans) == Names{"fused", "plain", "other"});
  CHECK(plans[0].times.of(CallStep::kGemm) == 500.0);
  CHECK(plans[1].times.total_ns() > 500.0);
  // Its own result takes precedence.
  profile.results.push_back(result(Op::kNN, 8, "fused", 5e6));
  CHECK(names(rank(profile, kBoth)) == Names{"plain", "fused", "other"});
  // On other shapes, the ratio to the plain kernel is used, too.
  const MeasuredTimes times({&profile});
  const auto ns = [&](const KernelRecord& kernel, std::int64_t extent) {
    return times.kernel_ns(kernel, {extent, extent, extent}).value();
  };
  CHECK(ns(profile.kernels[1], 8) == 5e6);
  CHECK(ns(profile.kernels[1], 16) == Approx(1e4 * ns(profile.kernels[2], 16)));
}

TEST_CASE("packing a B that is packed in advance does not count") {
  KernelRecord panels = gemm("panels", Op::kNN);
  panels.layout_b = layout("C 1 4 R");
  panels.multiples = {1, 4, 1};
  const Profile profile =
      tuned({gemm("plain", Op::kNN), panels, pack("pack", "R", "C 1 4 R")},
            {result(Op::kNN, 8, "plain", 30), result(Op::kNN, 8, "panels", 20)});
  GemmProblem problem = make_problem(Op::kNN, {8, 8, 8});
  CHECK(names(rank_plans({&profile}, kOffered, problem)) == Names{"plain", "panels"});
  problem.b_prepacked = true;
  const auto plans = rank_plans({&profile}, kOffered, problem);
  REQUIRE(names(plans) == Names{"panels", "plain"});
  CHECK(names(plans[0].choices[CallStep::kPackB]) == Names{"pack"});
  CHECK(plans[0].times.total_ns() == 20.0);
}

TEST_CASE("activation kernels: linear only without gaps, with bias only if there is one") {
  KernelRecord flat = activation("flat", kOnlyRelu);
  flat.id_order = IdOrder::kFlat;
  KernelRecord chunks = activation("chunks", kOnlyRelu);
  chunks.layout_a = chunks.layout_c = layout("R 4 4 R");
  KernelRecord large = activation("large", kOnlyRelu);
  large.work_group = {1024, 1};
  const Profile profile =
      generic({chunks, large, activation("bias", kBoth), flat, activation("rows", kOnlyRelu)});
  const MeasuredTimes times({&profile});
  const auto ranked = [&](const LayerEpilogue& epilogue, bool gaps) {
    return names(rank_activations({&profile}, times, kOffered.identity.limits, Precision::kSingle,
                                  epilogue, gaps));
  };
  CHECK(ranked(kOnlyRelu, false) == Names{"flat", "rows", "bias"});
  CHECK(ranked(kOnlyRelu, true) == Names{"rows", "bias", "flat"});
  CHECK(ranked(kBoth, false) == Names{"bias"});
  CHECK(ranked({}, false).empty());
  KernelRecord softmax = activation("softmax", {});
  softmax.role = Role::kSoftmax;
  const Profile other = generic({softmax, activation("rows", {})});
  CHECK(names(rank_softmaxes({&profile, &other}, times, kOffered.identity.limits,
                             Precision::kSingle, Activation::kIdentity)) == Names{"softmax"});
  KernelRecord logarithm = softmax;
  logarithm.name = "log_softmax";
  logarithm.activation = Activation::kLogSoftmax;
  const Profile both = generic({softmax, logarithm});
  CHECK(names(rank_softmaxes({&both}, times, kOffered.identity.limits, Precision::kSingle,
                             Activation::kLogSoftmax)) == Names{"log_softmax"});
}

TEST_CASE("half-precision layers use half-precision kernels, also after a half-precision product") {
  const auto half_precision = [](KernelRecord record) {
    record.name += " in half precision";
    record.precision = Precision::kHalf;
    return record;
  };
  KernelRecord softmax = activation("softmax", {});
  softmax.role = Role::kSoftmax;
  const KernelRecord relu = activation("relu", kOnlyRelu);
  const KernelRecord product = gemm("product", Op::kNN);
  const Profile profile =
      tuned({relu, half_precision(relu), softmax, half_precision(softmax), product,
             half_precision(product)},
            {result(Op::kNN, 8, "product", 1), result(Op::kNN, 8, "product in half precision", 1)});
  const MeasuredTimes times({&profile});
  const auto activations = [&](Precision precision) {
    return names(
        rank_activations({&profile}, times, kOffered.identity.limits, precision, kOnlyRelu, false));
  };
  const auto softmaxes = [&](Precision precision) {
    return names(rank_softmaxes({&profile}, times, kOffered.identity.limits, precision,
                                Activation::kIdentity));
  };
  CHECK(activations(Precision::kSingle) == Names{"relu"});
  CHECK(activations(Precision::kHalf) == Names{"relu in half precision"});
  CHECK(activations(Precision::kDouble).empty());
  CHECK(softmaxes(Precision::kSingle) == Names{"softmax"});
  CHECK(softmaxes(Precision::kHalf) == Names{"softmax in half precision"});
  GemmProblem problem = layer({8, 8, 8}, kOnlyRelu);
  problem.precision = Precision::kHalf;
  const auto plans = rank_plans({&profile}, kOffered, problem);
  REQUIRE(names(plans) == Names{"product in half precision"});
  CHECK(names(plans[0].choices[CallStep::kFinish]) == Names{"relu in half precision"});
}

TEST_CASE("kernels with half-precision sums compute products, but not layers") {
  const auto half_precision = [](const char* name, int accumulate_k) {
    KernelRecord record = gemm(name, Op::kNN);
    record.precision = Precision::kHalf;
    record.accumulate_k = accumulate_k;
    return record;
  };
  const Profile profile = tuned({half_precision("blocks", 8), half_precision("floats", 0)},
                                {result(Op::kNN, 8, "blocks", 1), result(Op::kNN, 8, "floats", 2)});
  GemmProblem problem = layer({8, 8, 8}, {});
  problem.precision = Precision::kHalf;
  CHECK(names(rank_plans({&profile}, kOffered, problem)) == Names{"blocks", "floats"});
  problem.float_sums = true;
  CHECK(names(rank_plans({&profile}, kOffered, problem)) == Names{"floats"});
  KernelRecord fused = half_precision("fused", 0);
  fused.bias = Dimension::kN;
  const Profile both =
      tuned({half_precision("blocks", 8), fused}, {result(Op::kNN, 8, "blocks", 1)});
  GemmProblem biased = layer({8, 8, 8}, kBias);
  biased.precision = Precision::kHalf;
  CHECK(names(rank_plans({&both}, kOffered, biased)) == Names{"fused"});
}

TEST_CASE("routes depend on the epilogue") {
  const auto key = [](const std::function<void(GemmProblem&)>& change) {
    GemmProblem problem = layer({8, 8, 8}, kBoth);
    change(problem);
    return route_key(problem, false, 16);
  };
  const RouteKey both = key([](GemmProblem&) {});
  CHECK(both == key([](GemmProblem& p) { p.arguments = {1.0f}; }));
  CHECK_FALSE(both == key([](GemmProblem& p) { p.epilogue = kOnlyRelu; }));
  CHECK_FALSE(both == key([](GemmProblem& p) { p.epilogue = kBias; }));
  CHECK_FALSE(both == key([](GemmProblem& p) { p.b_prepacked = true; }));
  CHECK_FALSE(both == key([](GemmProblem& p) { p.float_sums = true; }));
  CHECK_FALSE(both == key([](GemmProblem& p) { p.c.ld = 16; }));
}

}  // namespace
}  // namespace tilewright
