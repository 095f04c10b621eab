#include "tuner/bench/device_plans.hpp"

#include "profiles/built_in.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/check/kernel_check.hpp"
#include "runtime/device/device_identity.hpp"

namespace tilewright {

std::optional<Profile> take_fallback(FoundProfile& found) {
  if (found.fallback.empty()) return std::nullopt;
  return std::move(found.fallback.front().profile);
}

ProfileStack::ProfileStack(Profile profile, const DeviceInfo& device,
                           std::optional<Profile> fallback)
    : first_(std::move(profile)), fallback_(std::move(fallback)), all_{&first_} {
  if (fallback_) all_.push_back(&*fallback_);
  if (first_.kind == ProfileKind::kGeneric) {
    first_ = for_device(std::move(first_), device);
  } else {
    built_in_ = built_in_profile(device, first_);
    all_.push_back(&built_in_);
  }
}

const KernelRecord* product_kernel(const std::vector<std::string>& names,
                                   const std::vector<const Profile*>& profiles) {
  for (const Profile* profile : profiles) {
    for (const std::string& name : names) {
      const KernelRecord* kernel = find_kernel(*profile, name);
      if (kernel != nullptr && is_product(kernel->role)) return kernel;
    }
  }
  return nullptr;
}

DevicePlans::DevicePlans(const cl::Context& context, const ListedDevice& device, Profile profile,
                         bool verifies, std::optional<Profile> fallback)
    : device_(device_info(device.device)),
      profiles_(std::move(profile), device_, std::move(fallback)),
      executor_(context, device.device, default_binary_cache()),
      verifies_(verifies) {}

std::vector<GemmPlan> DevicePlans::rank(const GemmProblem& problem) const {
  return rank_plans(profiles_.all(), device_, problem);
}

Loaded DevicePlans::load_and_verify(const KernelRecord& record) const {
  Loaded loaded = executor_.load(record);
  auto* kernel = std::get_if<std::unique_ptr<LoadedKernel>>(&loaded);
  if (kernel == nullptr || !verifies_) return loaded;
  if (find_kernel(profile(), record.name) != &record) return loaded;
  cl_int code = CL_SUCCESS;
  const cl::CommandQueue queue(executor_.context(), executor_.device(), 0, &code);
  check_opencl(code, "clCreateCommandQueue");
  if (auto kernel_error = check_kernel(executor_, queue, **kernel)) return std::move(*kernel_error);
  return loaded;
}

LoadedKernel* DevicePlans::load(const KernelRecord& record, std::string& why) {
  auto known = loaded_.find(&record);
  if (known == loaded_.end()) known = loaded_.emplace(&record, load_and_verify(record)).first;
  if (const auto* kernel_error = std::get_if<KernelError>(&known->second)) {
    why = kernel_error->reason.substr(0, kernel_error->reason.find('\n'));
    return nullptr;
  }
  return std::get<std::unique_ptr<LoadedKernel>>(known->second).get();
}

std::optional<Route> DevicePlans::load(const GemmPlan& plan, std::string& why) {
  return load_route(plan, [&](const KernelRecord& record) { return load(record, why); });
}

}  // namespace tilewright
