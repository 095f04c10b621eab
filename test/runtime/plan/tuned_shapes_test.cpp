// Tests that the library uses the best measured plan on the shapes of a tuning, for two shipped
// profiles, one of a GPU and one of a CPU.
#include <algorithm>
#include <limits>
#include <set>

#include "catch.hpp"
#include "plan_records.hpp"
#include "profiles/built_in.hpp"
#include "profiles/device_class.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

constexpr double kTie = 0.01;

// The result of the kernel on the shape; nullptr if it was not measured there.
const ShapeResult* find_result(const Profile& profile, const KernelRecord& kernel,
                               const GemmShape& shape) {
  const Op op = op_from_layouts(kernel.layout_a, kernel.layout_b.value_or(Layout::R()));
  const auto found =
      std::find_if(profile.results.begin(), profile.results.end(), [&](const ShapeResult& result) {
        return result.kernel == kernel.name && result.op == op &&
               GemmShape{result.m, result.n, result.k} == shape;
      });
  return found == profile.results.end() ? nullptr : &*found;
}

// Total time of a plan from the results of the profile; infinity if there are none.
double measured_ns(const GemmPlan& plan, const GemmShape& shape) {
  const ShapeResult* result = find_result(*plan.profile, plan.kernel(), shape);
  return result == nullptr ? std::numeric_limits<double>::infinity()
                           : result->median_ns + plan.times.auxiliary_ns();
}

TEST_CASE(
    "on every shape that a shipped profile was tuned for, the first plan is the measured best") {
  const DeviceInfo device =
      offering({4096, {4096, 4096}, 1 << 20, true, true}, 1 << 14, std::uint64_t{1} << 36);
  for (const char* file : {"/nvidia-h200.toml", "/pocl-amd-epyc-avx512.toml"}) {
    const Profile profile = load_profile(std::string(TILEWRIGHT_DATA) + file);
    // It follows the profile, as in every library.
    const bool cpu = !profile.device.processor.empty();
    const Profile built_in =
        built_in_profile(device, cpu ? DeviceClass::kCpu16 : DeviceClass::kGpuLocal);
    const std::vector<const Profile*> profiles = {&profile, &built_in};
    const MeasuredTimes times(profiles);
    std::set<std::tuple<Op, std::int64_t, std::int64_t, std::int64_t>> tuned;
    for (const ShapeResult& result : profile.results) {
      tuned.emplace(result.op, result.m, result.n, result.k);
    }
    REQUIRE(tuned.size() > 10);
    for (const auto& [op, m, n, k] : tuned) {
      const GemmShape shape{m, n, k};
      INFO(file << " " << to_text(op) << " " << m << "x" << n << "x" << k);
      const auto plans = rank_plans(profiles, times, device, make_problem(op, shape));
      REQUIRE_FALSE(plans.empty());
      double best_ns = std::numeric_limits<double>::infinity();
      for (const GemmPlan& plan : plans) best_ns = std::min(best_ns, measured_ns(plan, shape));
      CHECK(measured_ns(plans.front(), shape) <= (1.0 + kTie) * best_ns);
    }
  }
}

}  // namespace
}  // namespace tilewright
