#include "tuner/bench/device_plans.hpp"

#include <fmt/format.h>

#include "profiles/built_in.hpp"
#include "runtime/call/error.hpp"
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
      kernels_(executor_, log_) {
  for (const Profile* each : profiles()) {
    kernels_.add(*each, verifies && each == profiles().front());
  }
}

std::vector<GemmPlan> DevicePlans::rank(const GemmProblem& problem) const {
  return rank_plans(profiles_.all(), device_, problem);
}

std::optional<Route> DevicePlans::load(const GemmPlan& plan, std::string& why) {
  return load_route(plan, [&](const KernelRecord& record) -> LoadedKernel* {
    std::string failures;
    try {
      if (LoadedKernel* const kernel = kernels_.load(record, failures)) return kernel;
    } catch (const Error& error) {  // lack of memory
      failures = fmt::format("\n{}", error.what());
    }
    why = failures.substr(1, failures.find('\n', 1) - 1);
    return nullptr;
  });
}

}  // namespace tilewright
