#include "tuner/plan_kernels.hpp"

namespace tilewright {

LoadedKernel* PlanKernels::load(const KernelRecord& record, std::string& why) {
  auto known = loaded_.find(&record);
  if (known == loaded_.end()) known = loaded_.emplace(&record, executor_.load(record)).first;
  if (const auto* rejection = std::get_if<Rejection>(&known->second)) {
    why = rejection->reason.substr(0, rejection->reason.find('\n'));
    return nullptr;
  }
  return std::get<std::unique_ptr<LoadedKernel>>(known->second).get();
}

// The first of the choices that loads; no choices: nothing to do.
bool PlanKernels::load_any(const GemmPlan::Choices& choices, LoadedKernel*& kernel,
                           std::string& why) {
  for (const KernelRecord* record : choices) {
    kernel = load(*record, why);
    if (kernel != nullptr) return true;
  }
  return choices.empty();
}

std::optional<Route> PlanKernels::route(const GemmPlan& plan, std::string& why) {
  Route route;
  route.gemm = load(*plan.kernel, why);
  if (route.gemm == nullptr || !load_any(plan.pack_a, route.pack_a, why) ||
      !load_any(plan.pack_b, route.pack_b, why) || !load_any(plan.pack_c, route.pack_c, why) ||
      !load_any(plan.unpack_c, route.unpack_c, why) || !load_any(plan.reduce, route.reduce, why)) {
    return std::nullopt;
  }
  route.plan = plan;
  return route;
}

}  // namespace tilewright
