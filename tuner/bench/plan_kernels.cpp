#include "tuner/bench/plan_kernels.hpp"

#include "runtime/call/opencl_error.hpp"
#include "runtime/check/kernel_check.hpp"

namespace tilewright {

Loaded PlanKernels::try_load(const KernelRecord& record) const {
  Loaded loaded = executor_.load(record);
  auto* kernel = std::get_if<std::unique_ptr<LoadedKernel>>(&loaded);
  if (kernel == nullptr || verified_ == nullptr) return loaded;
  if (find_kernel(*verified_, record.name) != &record) return loaded;
  cl_int code = CL_SUCCESS;
  const cl::CommandQueue queue(executor_.context(), executor_.device(), 0, &code);
  check_opencl(code, "clCreateCommandQueue");
  if (auto kernel_error = check_kernel(executor_, queue, **kernel)) return std::move(*kernel_error);
  return loaded;
}

LoadedKernel* PlanKernels::load(const KernelRecord& record, std::string& why) {
  auto known = loaded_.find(&record);
  if (known == loaded_.end()) known = loaded_.emplace(&record, try_load(record)).first;
  if (const auto* kernel_error = std::get_if<KernelError>(&known->second)) {
    why = kernel_error->reason.substr(0, kernel_error->reason.find('\n'));
    return nullptr;
  }
  return std::get<std::unique_ptr<LoadedKernel>>(known->second).get();
}

std::optional<Route> PlanKernels::route(const GemmPlan& plan, std::string& why) {
  return load_route(plan, [&](const KernelRecord& record) { return load(record, why); });
}

}  // namespace tilewright
