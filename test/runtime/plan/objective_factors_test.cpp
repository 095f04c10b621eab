// The factors by which a profile that was tuned for energy weighs the times of its kernels.
#include "runtime/plan/objective_factors.hpp"

#include <cmath>

#include "catch.hpp"
#include "plan_records.hpp"

namespace tilewright {
namespace {

const GemmShape kMeasured{64, 64, 64};
const GemmShape kElsewhere{96, 96, 96};

void add(Profile& profile, const char* kernel, std::int64_t extent, double ns, double watts) {
  profile.results.push_back(result(Op::kNN, extent, kernel, ns));
  profile.results.back().joules = ns * watts;
}

// "hot" is the fastest kernel, "cool" draws less power than the built-in one.
Profile tuned_for_energy() {
  Profile profile = tuned({gemm("hot", Op::kNN), gemm("cool", Op::kNN), gemm("builtin", Op::kNN),
                           gemm("unmeasured", Op::kNN)},
                          {});
  profile.provenance.objective = Objective::kEnergy;
  profile.kernels[2].built_in = true;
  add(profile, "hot", 64, 100, 12);
  add(profile, "cool", 64, 120, 8);
  add(profile, "builtin", 64, 130, 10);
  return profile;
}

double factor(const Profile& profile, std::size_t kernel, const GemmShape& shape) {
  return ObjectiveFactors(profile).factor(profile.kernels.at(kernel), shape).value;
}

TEST_CASE("factors are relative to the built-in kernel, which no profile drops") {
  Profile profile = tuned_for_energy();
  CHECK(factor(profile, 0, kMeasured) == Approx(1.2));
  CHECK(factor(profile, 1, kMeasured) == Approx(0.8));
  CHECK(factor(profile, 2, kMeasured) == Approx(1.0));
  profile.results.erase(profile.results.begin());  // of the kernel "hot"
  CHECK(factor(profile, 1, kMeasured) == Approx(0.8));
  profile.provenance.objective = Objective::kEnergyDelay;
  CHECK(factor(profile, 1, kMeasured) == Approx(std::sqrt(0.8)));
  profile.provenance.objective = Objective::kTime;
  CHECK(factor(profile, 1, kMeasured) == 1.0);
}

TEST_CASE("a kernel does not win because its energy was not measured") {
  const Profile profile = tuned_for_energy();
  const ObjectiveFactors factors(profile);
  CHECK(factors.factor(profile.kernels[0], kMeasured).is_measured);
  const ObjectiveFactor unmeasured = factors.factor(profile.kernels[3], kMeasured);
  CHECK(unmeasured.value == Approx(1.2));
  CHECK_FALSE(unmeasured.is_measured);
}

TEST_CASE("elsewhere, a kernel has the mean of its factors where it is about as fast") {
  Profile profile = tuned_for_energy();
  CHECK(factor(profile, 1, kElsewhere) == Approx(0.8));
  CHECK_FALSE(ObjectiveFactors(profile).factor(profile.kernels[1], kElsewhere).is_measured);
  CHECK(factor(profile, 0, kElsewhere) == 1.0);  // 1.3 times as fast as the reference
  CHECK(factor(profile, 2, kElsewhere) == Approx(1.0));
  CHECK(factor(profile, 3, kElsewhere) == 1.0);
  // Twice as slow, a kernel draws less power only because it is slow.
  add(profile, "cool", 128, 2000, 5);
  add(profile, "builtin", 128, 1000, 10);
  CHECK(factor(profile, 1, kElsewhere) == Approx(0.8));
  add(profile, "cool", 256, 8000, 9);
  add(profile, "builtin", 256, 8000, 10);
  CHECK(factor(profile, 1, kElsewhere) == Approx(std::sqrt(0.8 * 0.9)));
}

}  // namespace
}  // namespace tilewright
