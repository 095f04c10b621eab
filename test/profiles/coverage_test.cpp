#include "profiles/coverage.hpp"

#include "catch.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

KernelRecord gemm_for(Op op) {
  KernelRecord kernel;
  kernel.name = to_text(op);
  kernel.layout_a = op_layout_a(op);
  kernel.layout_b = op_layout_b(op);
  return kernel;
}

ShapeResult find_result(Op op, std::int64_t m, std::int64_t n, std::int64_t k) {
  ShapeResult result;
  result.op = op;
  result.m = m;
  result.n = n;
  result.k = k;
  result.kernel = to_text(op);
  return result;
}

TEST_CASE("a profile says which products its results do not reach") {
  Profile profile;
  CHECK(uncovered_text(profile) == "NN, NT, TN");
  profile.kernels = {gemm_for(Op::kNN), gemm_for(Op::kNT)};
  profile.results = {find_result(Op::kNN, 256, 256, 256)};
  CHECK(uncovered_text(profile) == "NT, TN; NN with an extent below 64");
  profile.results.push_back(find_result(Op::kNT, 1, 300, 100));
  CHECK(uncovered_text(profile) ==
        "TN; NN with an extent below 64; NT with n below 75, k below 25");
  profile.results.push_back(find_result(Op::kNN, 1, 256, 16));
  profile.results.push_back(find_result(Op::kNN, 256, 3, 256));
  CHECK(uncovered_text(profile) == "TN; NT with n below 75, k below 25");
  // This kernel needs a packed A, and only the caller can know whether its A is packed: TN stays
  // uncovered.
  profile.kernels.push_back(gemm_for(Op::kTN));
  profile.kernels.back().layout_a = *parse_layout("R4x1C");
  profile.results.push_back(find_result(Op::kTN, 1, 1, 1));
  CHECK(uncovered_text(profile) == "TN; NT with n below 75, k below 25");
  profile.kind = ProfileKind::kPredicted;
  CHECK(uncovered_text(profile).empty());
}

TEST_CASE("a profile has a baseline if it knows of a built-in product kernel") {
  Profile profile;
  profile.kernels = {gemm_for(Op::kNN)};
  CHECK_FALSE(has_baseline(profile));
  profile.kernels[0].built_in = true;
  CHECK(has_baseline(profile));
  profile.kernels[0].role = Role::kPack;
  CHECK_FALSE(has_baseline(profile));
  profile.changed_built_in = {"gemm"};
  CHECK(has_baseline(profile));
  profile.changed_built_in.clear();
  profile.failing_built_in = {{"gemm", "xxh3-0", true}};
  CHECK(has_baseline(profile));
}

}  // namespace
}  // namespace tilewright
