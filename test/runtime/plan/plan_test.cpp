// Tests the choice of plans, which is a pure decision, with artificial records and results and
// without a device. This file tests which kernel comes first, covered_calls_test.cpp which profile
// decides; plan_operands_test.cpp tests the additional steps.
#include "catch.hpp"
#include "plan_records.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {
namespace {

TEST_CASE("the kernel with the shortest time by result or model comes first") {
  Profile profile =
      tuned({gemm("small", Op::kNN), gemm("large", Op::kNN)},
            {result(Op::kNN, 64, "small", 10), result(Op::kNN, 64, "large", 20),
             result(Op::kNN, 1024, "small", 9000), result(Op::kNN, 1024, "large", 5000)});
  CHECK(names(rank({&profile}, Op::kNN, {64, 64, 64})) == Names{"small", "large"});
  CHECK(names(rank({&profile}, Op::kNN, {1024, 1024, 1024})) == Names{"large", "small"});
  profile.models.resize(2);
  profile.models[0].kernel = "small";
  profile.models[0].even_ps = 9.0;
  profile.models[1].kernel = "large";
  profile.models[1].fixed_ns = 20.0;
  profile.models[1].even_ps = 5.0;
  CHECK(names(rank({&profile}, Op::kNN, {16, 16, 10})) == Names{"small", "large"});
  CHECK(names(rank({&profile}, Op::kNN, {900, 900, 900})) == Names{"large", "small"});
}

TEST_CASE("the work of tiles outside the matrix counts") {
  // Equal rates on 64 x 64 x 64. For a single row, the tall tile computes 32 rows and the flat one
  // computes 1.
  const Profile profile =
      tuned({gemm("tall", Op::kNN, {32, 2, 1}, {1, 1}), gemm("flat", Op::kNN, {1, 64, 1}, {1, 1})},
            {result(Op::kNN, 64, "tall", 10), result(Op::kNN, 64, "flat", 10)});
  CHECK(names(rank({&profile}, Op::kNN, {1, 64, 64})) == Names{"flat", "tall"});
  CHECK(names(rank({&profile}, Op::kNN, {64, 2, 64})) == Names{"tall", "flat"});
}

TEST_CASE("measured kernels come before unmeasured ones, the built-in profile last") {
  const Profile profile =
      tuned({gemm("unmeasured", Op::kNN), gemm("measured", Op::kNN), gemm("builtin", Op::kNN)},
            {result(Op::kNN, 64, "measured", 1e9), result(Op::kNN, 64, "builtin", 2e9)});
  const Profile fallback = generic({gemm("builtin", Op::kNN)});
  CHECK(names(rank({&profile, &fallback}, Op::kNN, {64, 64, 64})) ==
        Names{"measured", "builtin", "unmeasured", "builtin"});
}

TEST_CASE("built-in kernels with guessed times come after measured ones, before the others") {
  const Profile profile =
      tuned({gemm("unmeasured", Op::kNN), gemm("measured", Op::kNN), gemm("deep", Op::kNN)},
            {result(Op::kNN, 64, "measured", 1e9), result(Op::kNN, 64, "deep", 2e9)});
  Profile fallback =
      generic({gemm("basic", Op::kNN), gemm("wide", Op::kNN), gemm("deep", Op::kNN)});
  fallback.models.resize(2);
  fallback.models[0].kernel = "wide";
  fallback.models[0].element_ps = 1000.0;
  fallback.models[1].kernel = "deep";
  fallback.models[1].even_ps = 10.0;
  CHECK(names(rank({&profile, &fallback}, Op::kNN, {64, 64, 64})) ==
        Names{"measured", "deep", "deep", "wide", "unmeasured", "basic"});
  const auto plans = rank({&fallback}, Op::kNN, {64, 64, 640});
  CHECK(names(plans) == Names{"wide", "deep", "basic"});
  CHECK(plans[0].times.evidence == TimeEvidence::kGuessed);
  const std::string message = explained(plans);
  CHECK(message.find("never measured: least") != std::string::npos);
  CHECK(message.find("never measured: its time") != std::string::npos);
  // A profile that does not know the kernel that runs without it does not replace it.
  CHECK(names(rank({&profile, &fallback}, Op::kNN, {64, 64, 640})).front() == "wide");
}

TEST_CASE("a tuned kernel that was slower than the built-in one is not used") {
  const Profile profile =
      tuned({gemm("slow", Op::kNN), gemm("builtin", Op::kNN)},
            {result(Op::kNN, 64, "slow", 500), result(Op::kNN, 64, "builtin", 10),
             result(Op::kNN, 512, "slow", 5000), result(Op::kNN, 512, "builtin", 9000)});
  const Profile fallback = generic({gemm("builtin", Op::kNN)});
  CHECK(names(rank({&profile, &fallback}, Op::kNN, {64, 64, 64})).front() == "builtin");
  CHECK(names(rank({&profile, &fallback}, Op::kNN, {70, 64, 60})).front() == "builtin");
  CHECK(names(rank({&profile, &fallback}, Op::kNN, {512, 512, 512})).front() == "slow");
}

TEST_CASE("a tuned plan replaces a known one only by more than the error of the models") {
  Profile profile = tuned({gemm("fast", Op::kNN), gemm("builtin", Op::kNN)},
                          {result(Op::kNN, 64, "fast", 100), result(Op::kNN, 64, "builtin", 101)});
  profile.models = {{.kernel = "fast", .fixed_ns = 90.0, .error = 0.15},
                    {.kernel = "builtin", .fixed_ns = 100.0, .error = 0.2}};
  const Profile fallback = generic({gemm("builtin", Op::kNN)});
  const auto plans = [&](std::int64_t m) {
    return rank({&profile, &fallback}, Op::kNN, {m, 64, 64});
  };
  // Where both were measured, the faster one runs, however little it gains.
  CHECK(names(plans(64)).front() == "fast");
  // Elsewhere, 90 + 0.5 * hypot(13.5, 20) is not below 100,
  CHECK(names(plans(80)) == Names{"builtin", "fast", "builtin"});
  CHECK(plans(80).front().times.first_because == FirstBecause::kUnbeaten);
  CHECK(plans(80).front().profile == &profile);
  CHECK(reason_text(plans(80)[0]).find("no plan is faster by more than") != std::string::npos);
  // but 80 + 0.5 * hypot(12, 20) is.
  profile.models[0].fixed_ns = 80.0;
  CHECK(names(plans(80)).front() == "fast");
  // A kernel whose error is not known must be faster by more.
  profile.models[0].error = 0.0;
  CHECK(names(plans(80)).front() == "fast");
  profile.models[0].fixed_ns = 88.0;
  profile.models[1].error = 0.01;
  CHECK(names(plans(80)).front() == "fast");
  profile.models[0].fixed_ns = 95.0;
  CHECK(names(plans(80)).front() == "builtin");
  profile.models[0].error = 0.01;
  CHECK(names(plans(80)).front() == "fast");
}

TEST_CASE("a kernel that was measured only on small products is not used for large ones") {
  Profile profile = tuned({gemm("small", Op::kNN), gemm("all", Op::kNN)},
                          {result(Op::kNN, 64, "small", 10), result(Op::kNN, 64, "all", 20),
                           result(Op::kNN, 1024, "all", 5000)});
  profile.models = {{.kernel = "small", .fixed_ns = 10.0},
                    {.kernel = "all", .fixed_ns = 15.0, .even_ps = 0.005}};
  CHECK(names(rank({&profile}, Op::kNN, {70, 80, 90})) == Names{"small", "all"});
  const auto plans = rank({&profile}, Op::kNN, {900, 900, 900});
  CHECK(names(plans) == Names{"all", "small"});
  // A rate that was never measured is not believed for either of them.
  profile.models[1].even_ps = 1e-6;
  const auto far = rank({&profile}, Op::kNN, {9000, 9000, 9000});
  CHECK(names(far) == Names{"all", "small"});
  CHECK(far[0].times.total_ns() > 5000.0 * 600.0 / 1.5);
  // A rate that it reached is believed.
  profile.results[0].median_ns = 1.0;
  profile.models = {{.kernel = "small", .even_ps = 0.004}, {.kernel = "all", .even_ps = 0.005}};
  const auto believed = rank({&profile}, Op::kNN, {900, 900, 900});
  CHECK(names(believed) == Names{"small", "all"});
  // If a time is mostly the launch, half of it counts as work.
  profile.results[0].median_ns = 20.0;
  profile.models = {{.kernel = "small", .fixed_ns = 19.0, .even_ps = 0.001},
                    {.kernel = "all", .even_ps = 5.0}};
  CHECK(names(rank({&profile}, Op::kNN, {300, 300, 300})) == Names{"small", "all"});
}

TEST_CASE("a batch uses a kernel that computes it in one launch if this is faster") {
  KernelRecord batched = gemm("batched", Op::kNN);
  batched.batched = true;
  Profile profile =
      tuned({gemm("single", Op::kNN), batched},
            {result(Op::kNN, 8, "single", 4000), result(Op::kNN, 8, "batched", 5000),
             result(Op::kNN, 512, "single", 1e6), result(Op::kNN, 512, "batched", 2e6)});
  profile.rates.launch_ns = 3000.0;
  profile.models = {{.kernel = "single", .fixed_ns = 3000.0, .element_ps = 1e3},
                    {.kernel = "batched", .fixed_ns = 4000.0, .element_ps = 1e4}};
  const auto first = [&](std::int64_t extent, std::size_t count) {
    GemmProblem problem = make_problem(Op::kNN, {extent, extent, extent});
    problem.batch.count = count;
    return rank_plans({&profile}, kOffered, problem).front();
  };
  CHECK(first(8, 1).kernel().name == "single");
  const GemmPlan many = first(8, 16);
  CHECK(many.kernel().name == "batched");
  CHECK(many.times.total_ns() < 16 * 5000.0);
  CHECK(many.times.evidence == TimeEvidence::kPredicted);
  CHECK(first(512, 16).kernel().name == "single");
  // Each of them was measured on exactly that shape.
  CHECK(first(512, 16).times.evidence == TimeEvidence::kMeasuredHere);
  CHECK(first(512, 16).times.total_ns() == 16 * 1e6 + 15 * 3000.0);
}

TEST_CASE("kernels that the device does not support do not appear") {
  KernelRecord local = gemm("too much local memory", Op::kNN);
  local.local_bytes = 1025;
  const Profile profile =
      generic({gemm("too large", Op::kNN, {4, 4, 1}, {32, 16}), local,
               gemm("too long", Op::kNN, {4, 4, 1}, {1, 200}), gemm("any", Op::kNN)});
  DeviceInfo narrow = kOffered;
  narrow.identity.limits.max_work_item_sizes = {256, 128};
  const GemmProblem problem = make_problem(Op::kNN, {8, 8, 8});
  CHECK(names(rank_plans({&profile}, narrow, problem)) == Names{"any"});
}

TEST_CASE("TT packs the smaller operand") {
  const Profile profile = generic(
      {gemm("nn", Op::kNN), gemm("nt", Op::kNT), gemm("tn", Op::kTN), pack("pack", "C", "R")});
  const auto wide = rank({&profile}, Op::kTT, {8, 100, 16});
  REQUIRE(names(wide) == Names{"nt", "tn", "nn"});
  CHECK((names(wide[0].choices[CallStep::kPackA]) == Names{"pack"} &&
         wide[0].choices[CallStep::kPackB].empty()));
  CHECK((wide[1].choices[CallStep::kPackA].empty() &&
         names(wide[1].choices[CallStep::kPackB]) == Names{"pack"}));
  CHECK((!wide[2].choices[CallStep::kPackA].empty() && !wide[2].choices[CallStep::kPackB].empty()));
  CHECK(reason_text(wide[0]).find("A is packed first") != std::string::npos);
  CHECK(temporary_bytes(wide[0]) == 8 * 16 * sizeof(float));
  CHECK(temporary_bytes(wide[1]) == 16 * 100 * sizeof(float));
  CHECK(temporary_bytes(wide[2]) == (8 * 16 + 16 * 100) * sizeof(float));
  CHECK(temporary_bytes(rank({&profile}, Op::kNN, {8, 100, 16}).front()) == 0);
  const auto tall = rank({&profile}, Op::kTT, {100, 8, 16});
  CHECK(names(tall) == Names{"tn", "nt", "nn"});
}

TEST_CASE("an op without kernels uses those that it can reach by packing") {
  const Profile profile =
      generic({gemm("nn", Op::kNN), gemm("tn", Op::kTN), pack("pack", "C", "R")});
  const auto plans = rank({&profile}, Op::kNT, {8, 8, 8});
  REQUIRE(names(plans) == Names{"nn"});
  CHECK(
      (plans[0].choices[CallStep::kPackA].empty() && !plans[0].choices[CallStep::kPackB].empty()));
  CHECK(rank({&profile}, Op::kNN, {8, 8, 8}).size() == 1);
}

TEST_CASE("narrow kernels are used only for narrow products") {
  KernelRecord columns = gemm("columns", Op::kNN, {1, 4, 4});
  columns.role = Role::kGemv;
  columns.narrow = Dimension::kN;
  KernelRecord rows = gemm("rows", Op::kNN, {2, 1, 4});
  rows.role = Role::kGemv;
  rows.narrow = Dimension::kM;
  const Profile profile = tuned({columns, rows, gemm("any", Op::kNN)}, {});
  CHECK(names(rank({&profile}, Op::kNN, {8, 4, 8})) == Names{"columns", "any"});
  CHECK(names(rank({&profile}, Op::kNN, {2, 5, 8})) == Names{"rows", "any"});
  CHECK(names(rank({&profile}, Op::kNN, {1, 1, 8})) == Names{"columns", "rows", "any"});
  CHECK(names(rank({&profile}, Op::kNN, {3, 5, 8})) == Names{"any"});
}

TEST_CASE("kernels with a bias or an activation are not used for plain products") {
  KernelRecord biased = gemm("biased", Op::kNN);
  biased.bias = Dimension::kN;
  KernelRecord active = gemm("active", Op::kNN);
  active.activation = Activation::kRelu;
  const Profile profile = tuned({biased, active, pack("pack", "C", "R"), reduce("reduce")}, {});
  CHECK(rank({&profile}, Op::kNN, {8, 8, 8}).empty());
}

TEST_CASE("equal plans keep the order of the profile, so that the choice is deterministic") {
  const Profile profile = tuned({gemm("b", Op::kNN), gemm("a", Op::kNN)},
                                {result(Op::kNN, 64, "a", 10), result(Op::kNN, 64, "b", 10)});
  CHECK(names(rank({&profile}, Op::kNN, {64, 64, 64})) == Names{"b", "a"});
}

TEST_CASE("launches cover the result with whole work-groups, along the right dimensions") {
  KernelRecord record = gemm("k", Op::kNN, {4, 8, 1}, {16, 2});
  CHECK(global_size(record, 1, 1) == std::array<std::size_t, 2>{16, 2});
  CHECK(global_size(record, 9, 129) == std::array<std::size_t, 2>{32, 4});
  record.id_order = IdOrder::kMN;  // dimension 0 now counts along m
  CHECK(global_size(record, 65, 17) == std::array<std::size_t, 2>{32, 4});
}

}  // namespace
}  // namespace tilewright
