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
