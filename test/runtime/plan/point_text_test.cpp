// Tests that plans do not depend on the text of a point, because all facts that they need are
// fields.
#include <string>

#include "catch.hpp"
#include "plan_records.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

// The profile with texts of points that are empty or wrong. Profiles have no text of built-in
// kernels.
Profile scrambled(Profile profile) {
  std::size_t i = 0;
  for (KernelRecord& kernel : profile.kernels) {
    if (kernel.built_in) continue;
    const char* lie = "gemm vector_width=2 unroll_k=16 inner=dot bias=n activation=tanh";
    kernel.point = ++i % 2 == 0 ? lie : "";
  }
  return parse_profile(write_profile(profile), "scrambled.toml");
}

DeviceInfo make_device(const Profile& profile) {
  return offering(profile.device.limits, 16384, std::uint64_t{1} << 31);
}

// Checks that both have the same kernels in the same order with the same times.
void check_alike(const std::vector<GemmPlan>& plans, const std::vector<GemmPlan>& others) {
  REQUIRE(plans.size() == others.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    CHECK(plans[i].times == others[i].times);
    CHECK(reason_text(plans[i]) == reason_text(others[i]));
    for (const StepFacts& facts : kCallSteps) {
      CHECK(names(plans[i].choices[facts.step]) == names(others[i].choices[facts.step]));
    }
  }
}

TEST_CASE("plans and predicted times do not depend on the text of points") {
  for (const char* name : {TILEWRIGHT_DATA "/pocl-amd-epyc-avx512.toml",
                           TILEWRIGHT_STARTER_PROFILES "/mali-t604.toml"}) {
    const Profile profile = load_profile(name);
    const Profile other = scrambled(profile);
    const MeasuredTimes times({&profile});
    const MeasuredTimes other_times({&other});
    const auto ranked_plans = [&](const GemmProblem& problem) {
      const DeviceInfo device = make_device(profile);
      const auto plans = rank_plans({&profile}, times, device, problem);
      check_alike(plans, rank_plans({&other}, other_times, device, problem));
      return plans.size();
    };
    std::size_t seen = 0;
    for (const GemmShape& shape :
         {GemmShape{64, 64, 64}, {3, 1000, 77}, {512, 5, 513}, {1, 1, 4000}, {2048, 2048, 2048}}) {
      for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
        INFO(name << " " << to_text(op) << " " << to_text(shape));
        seen += ranked_plans(make_problem(op, shape));
      }
      GemmProblem layer = make_problem(Op::kNN, shape);
      layer.epilogue = {true, Activation::kRelu};
      seen += ranked_plans(layer);
    }
    CHECK(seen > 20);
  }
}

}  // namespace
}  // namespace tilewright
