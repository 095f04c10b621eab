// Plan choice is a pure decision: made-up records and results, no device.
#include "runtime/plan.hpp"

#include "catch.hpp"
#include "runtime/executor.hpp"

namespace tilewright {
namespace {

constexpr DeviceLimits kLimits{256, {256, 256}, 0, false, false};

KernelRecord gemm(const std::string& name, Op op, Tile tile = {4, 4, 1},
                  std::array<int, 2> group = {8, 8}) {
  KernelRecord record;
  record.name = name;
  record.tile = tile;
  record.work_group = group;
  record.layout_a = layout_a_of(op);
  record.layout_b = layout_b_of(op);
  return record;
}

KernelRecord pack(const std::string& name, int group) {
  KernelRecord record;
  record.name = name;
  record.role = Role::kPack;
  record.layout_a = Layout::kC;
  record.work_group = {group, group};
  return record;
}

ShapeResult result(Op op, std::int64_t size, const std::string& kernel, double ns) {
  return {op, size, size, size, kernel, ns, ns, ns, 9, 0.0, 0.0};
}

Profile tuned(std::vector<KernelRecord> kernels, std::vector<ShapeResult> results) {
  Profile profile;
  profile.kernels = std::move(kernels);
  profile.results = std::move(results);
  return profile;
}

Profile generic(std::vector<KernelRecord> kernels) {
  Profile profile = tuned(std::move(kernels), {});
  profile.kind = ProfileKind::kGeneric;
  return profile;
}

std::vector<std::string> names(const std::vector<GemmPlan>& plans) {
  std::vector<std::string> result;
  for (const GemmPlan& plan : plans) result.push_back(plan.kernel->name);
  return result;
}

using Names = std::vector<std::string>;

TEST_CASE("the kernel that was fastest on the nearest measured shape comes first") {
  const Profile profile =
      tuned({gemm("small", Op::kNN), gemm("large", Op::kNN)},
            {result(Op::kNN, 64, "small", 10), result(Op::kNN, 64, "large", 20),
             result(Op::kNN, 1024, "small", 9000), result(Op::kNN, 1024, "large", 5000)});
  CHECK(names(rank_plans({&profile}, kLimits, Op::kNN, {64, 64, 64})) == Names{"small", "large"});
  CHECK(names(rank_plans({&profile}, kLimits, Op::kNN, {100, 100, 100})) ==
        Names{"small", "large"});
  CHECK(names(rank_plans({&profile}, kLimits, Op::kNN, {900, 900, 900})) ==
        Names{"large", "small"});
}

TEST_CASE("waste of tiles past the edge is counted") {
  // Equal rates on 64 x 64 x 64; but for one row the tall tile computes 32 rows and the flat one 1.
  const Profile profile =
      tuned({gemm("tall", Op::kNN, {32, 2, 1}, {1, 1}), gemm("flat", Op::kNN, {1, 64, 1}, {1, 1})},
            {result(Op::kNN, 64, "tall", 10), result(Op::kNN, 64, "flat", 10)});
  CHECK(names(rank_plans({&profile}, kLimits, Op::kNN, {1, 64, 64})) == Names{"flat", "tall"});
  CHECK(names(rank_plans({&profile}, kLimits, Op::kNN, {64, 2, 64})) == Names{"tall", "flat"});
}

TEST_CASE("a prediction scales the nearest result by the work of whole work-groups") {
  const Profile profile = tuned({gemm("k", Op::kNN)}, {result(Op::kNN, 64, "k", 100)});
  const KernelRecord& kernel = profile.kernels[0];
  CHECK(predict_ns(profile, kernel, Op::kNN, {64, 64, 64}).value() == Approx(100));
  CHECK(predict_ns(profile, kernel, Op::kNN, {64, 64, 128}).value() == Approx(200));
  // 2 work-groups become 3.
  CHECK(predict_ns(profile, kernel, Op::kNN, {65, 64, 64}).value() == Approx(150));
  CHECK(predict_ns(profile, kernel, Op::kNN, {64, 64, 0}).value() > 0);
  CHECK(predict_ns(profile, kernel, Op::kNT, {64, 64, 64}) == std::nullopt);
}

TEST_CASE("measured kernels come before unmeasured ones, the built-in profile last") {
  const Profile profile = tuned({gemm("unmeasured", Op::kNN), gemm("measured", Op::kNN)},
                                {result(Op::kNN, 64, "measured", 1e9)});
  const Profile fallback = generic({gemm("builtin", Op::kNN)});
  CHECK(names(rank_plans({&profile, &fallback}, kLimits, Op::kNN, {64, 64, 64})) ==
        Names{"measured", "unmeasured", "builtin"});
}

TEST_CASE("kernels that the device or the shape rules out do not appear") {
  KernelRecord whole = gemm("whole tiles only", Op::kNN);
  whole.multiples = {4, 4, 2};
  const Profile profile =
      generic({gemm("too large", Op::kNN, {4, 4, 1}, {32, 16}), whole,
               gemm("too long", Op::kNN, {4, 4, 1}, {1, 200}), gemm("any", Op::kNN)});
  const DeviceLimits narrow{256, {256, 128}, 0, false, false};
  CHECK(names(rank_plans({&profile}, narrow, Op::kNN, {8, 8, 8})) ==
        Names{"whole tiles only", "any"});
  CHECK(names(rank_plans({&profile}, narrow, Op::kNN, {8, 8, 7})) == Names{"any"});
  CHECK(names(rank_plans({&profile}, narrow, Op::kNN, {9, 8, 8})) == Names{"any"});
}

TEST_CASE("TT is served by transposing the smaller operand") {
  const Profile profile = generic({gemm("nn", Op::kNN), gemm("nt", Op::kNT), gemm("tn", Op::kTN)});
  const auto wide = rank_plans({&profile}, kLimits, Op::kTT, {8, 100, 16});
  REQUIRE(names(wide) == Names{"nt", "tn", "nn"});
  CHECK((wide[0].pack_a && !wide[0].pack_b));
  CHECK((!wide[1].pack_a && wide[1].pack_b));
  CHECK((wide[2].pack_a && wide[2].pack_b));
  const auto tall = rank_plans({&profile}, kLimits, Op::kTT, {100, 8, 16});
  CHECK(names(tall) == Names{"tn", "nt", "nn"});
}

TEST_CASE("an op without kernels of its own is served by those that packing reaches") {
  const Profile profile = generic({gemm("nn", Op::kNN), gemm("tn", Op::kTN)});
  const auto plans = rank_plans({&profile}, kLimits, Op::kNT, {8, 8, 8});
  REQUIRE(names(plans) == Names{"nn"});
  CHECK((!plans[0].pack_a && plans[0].pack_b));
  CHECK(rank_plans({&profile}, kLimits, Op::kNN, {8, 8, 8}).size() == 1);
}

TEST_CASE("kernels that store or pack into other layouts than these plans know are left alone") {
  KernelRecord transposed = gemm("stores C by columns", Op::kNN);
  transposed.layout_c = Layout::kC;
  KernelRecord backwards = pack("packs R to C", 1);
  backwards.layout_a = Layout::kR;
  backwards.layout_c = Layout::kC;
  KernelRecord padded = pack("packs multiples of 4", 1);
  padded.multiples = {4, 4, 1};
  const Profile profile = generic({transposed, backwards, padded});
  CHECK(rank_plans({&profile}, kLimits, Op::kNN, {8, 8, 8}).empty());
  CHECK(pack_kernels({&profile}, kLimits).empty());
}

TEST_CASE("equal plans keep the profile's order: the choice is deterministic") {
  const Profile profile = tuned({gemm("b", Op::kNN), gemm("a", Op::kNN)},
                                {result(Op::kNN, 64, "a", 10), result(Op::kNN, 64, "b", 10)});
  CHECK(names(rank_plans({&profile}, kLimits, Op::kNN, {64, 64, 64})) == Names{"b", "a"});
}

TEST_CASE("pack kernels that fit, in order of preference") {
  const Profile profile = tuned({pack("large", 32), pack("medium", 8)}, {});
  const Profile fallback = generic({pack("one", 1)});
  std::vector<std::string> found;
  for (const KernelRecord* record : pack_kernels({&profile, &fallback}, kLimits))
    found.push_back(record->name);
  CHECK(found == Names{"medium", "one"});
}

TEST_CASE("launches cover the result with whole work-groups, along the right dimensions") {
  KernelRecord record = gemm("k", Op::kNN, {4, 8, 1}, {16, 2});
  CHECK(global_size(record, 1, 1) == std::array<std::size_t, 2>{16, 2});
  CHECK(global_size(record, 9, 129) == std::array<std::size_t, 2>{32, 4});
  record.id_order = IdOrder::kMN;  // dimension 0 now runs along m
  CHECK(global_size(record, 65, 17) == std::array<std::size_t, 2>{32, 4});
}

}  // namespace
}  // namespace tilewright
