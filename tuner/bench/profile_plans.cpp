#include "tuner/bench/profile_plans.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/built_in.hpp"
#include "runtime/api/class_trial.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/profile_search.hpp"

namespace tilewright {
namespace {

class PlanCompetitor : public Competitor {
 public:
  PlanCompetitor(const Executor& executor, TemporaryPool& pool, Route route, const Arena& arena)
      : executor_(executor), pool_(pool), route_(std::move(route)), arena_(arena) {
    for (const LoadedKernel* kernel : route_.in_order()) {
      name_ += (name_.empty() ? "" : "+") + kernel->record().name;
      half_sums_ = std::max(half_sums_, kernel->record().accumulate_k);
    }
  }

  std::string name() const override { return name_; }
  int half_sums() const override { return half_sums_; }

  void multiply() override {
    check_opencl(
        enqueue(executor_, &pool_, arena_.queue, route_, arena_.workload.problem(), {}).wait(),
        "clWaitForEvents");
  }

  std::vector<double> result_at(
      const std::vector<std::pair<std::int64_t, std::int64_t>>& at) override {
    return elements_of_c(arena_, at);
  }

 private:
  const Executor& executor_;
  TemporaryPool& pool_;
  Route route_;
  Arena arena_;
  std::string name_;
  int half_sums_ = 0;
};

}  // namespace

ProfilePlans::ProfilePlans(const cl::Context& context, const ListedDevice& device,
                           const ProfileSource& source)
    : profile_(find_profile(source, default_search_path(), device.identity).profile),
      profiles_{&profile_},
      limits_(serving_limits(device.device, device.identity.limits)),
      executor_(context, device.device, default_binary_cache()),
      temporaries_(context, device.device),
      kernels_(executor_) {
  const ClassFacts facts = serving_class_facts(context, device.device, profile_.kind, nullptr);
  if (profile_.kind == ProfileKind::kGeneric) {
    profile_ = for_device(std::move(profile_), facts);
  } else {
    generic_ = built_in_profile(facts);
    profiles_.push_back(&generic_);
  }
}

std::vector<ServingPlan> ProfilePlans::of(const Arena& arena, const PlanLimits& limits,
                                          const Announce& announce,
                                          std::vector<std::string>& left_out) {
  std::vector<ServingPlan> plans;
  for (const GemmPlan& plan : rank_plans(profiles_, limits_, arena.workload.problem())) {
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
    ServingPlan serving;
    if (plan.times.measured) serving.predicted_ns = plan.times.total_ns();
    serving.competitor =
        std::make_unique<PlanCompetitor>(executor_, temporaries_, std::move(*route), arena);
    plans.push_back(std::move(serving));
  }
  return plans;
}

std::string ProfilePlans::first_kernel(const GemmProblem& problem) const {
  const std::vector<GemmPlan> plans = rank_plans(profiles_, limits_, problem);
  return plans.empty() ? "" : plans.front().kernel().name;
}

}  // namespace tilewright
