#include "tuner/bench/profile_plans.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/built_in.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/device_identity.hpp"
#include "runtime/device/profile_search.hpp"

namespace tilewright {
namespace {

class PlanProduct : public DeviceProduct {
 public:
  PlanProduct(const Executor& executor, TemporaryPool& pool, Route route, const ProductArena& arena)
      : DeviceProduct(arena), executor_(executor), pool_(pool), route_(std::move(route)) {}

  int half_sums() const override {
    int most = 0;
    for (const LoadedKernel* kernel : route_.in_order()) {
      most = std::max(most, kernel->record().accumulate_k);
    }
    return most;
  }

  void run() override {
    check_opencl(
        enqueue(executor_, &pool_, arena_.on.queue, route_, arena_.workload.problem(), {}).wait(),
        "clWaitForEvents");
  }

 private:
  const Executor& executor_;
  TemporaryPool& pool_;
  Route route_;
};

}  // namespace

ProfilePlans::ProfilePlans(const cl::Context& context, const ListedDevice& device,
                           const ProfileSource& source)
    : profile_(find_profile(source, default_search_path(), device.identity).profile),
      profiles_{&profile_},
      device_(device_info(device.device)),
      executor_(context, device.device, default_binary_cache()),
      temporaries_(context, device.device),
      kernels_(executor_) {
  if (profile_.kind == ProfileKind::kGeneric) {
    profile_ = for_device(std::move(profile_), device_);
  } else {
    generic_ = built_in_profile(device_);
    profiles_.push_back(&generic_);
  }
}

std::vector<RunnablePlan> ProfilePlans::of(const ProductArena& arena, const PlanLimits& limits,
                                           const Announce& announce,
                                           std::vector<std::string>& left_out) {
  std::vector<RunnablePlan> plans;
  for (const GemmPlan& plan : rank_plans(profiles_, device_, arena.workload.problem())) {
    if (limits.max_plans > 0 && plans.size() == limits.max_plans) break;
    if (plan.profile != &profile_ && !plans.empty()) continue;
    const std::string& kernel = plan.kernel().name;
    if (std::count(limits.excluded.begin(), limits.excluded.end(), kernel) > 0) continue;
    if (plan.times.total_ns() > limits.max_dispatch_ns) {
      left_out.push_back(fmt::format("{} ({:.0f} ms)", kernel, 1e-6 * plan.times.total_ns()));
      continue;
    }
    announce({WorkerActivityKind::kBuild, kernel});
    std::string why;
    auto route = kernels_.route(plan, why);
    if (!route) continue;
    RunnablePlan runnable;
    if (plan.times.measured) runnable.predicted_ns = plan.times.total_ns();
    for (const LoadedKernel* loaded : route->in_order()) {
      runnable.kernels.push_back(loaded->record().name);
    }
    runnable.competitor =
        std::make_unique<PlanProduct>(executor_, temporaries_, std::move(*route), arena);
    plans.push_back(std::move(runnable));
  }
  return plans;
}

std::string ProfilePlans::first_kernel(const GemmProblem& problem) const {
  const std::vector<GemmPlan> plans = rank_plans(profiles_, device_, problem);
  return plans.empty() ? "" : plans.front().kernel().name;
}

}  // namespace tilewright
