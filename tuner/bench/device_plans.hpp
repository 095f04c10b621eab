// The plans for a product on a device, ranked and loaded in the same way as in the library.
//
// The library loads only the plan that runs. Here every plan can be loaded, to be measured or
// explained.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/api/lazy_kernels.hpp"
#include "runtime/device/profile_search.hpp"
#include "runtime/plan/operands.hpp"
#include "tuner/measure/device/device_choice.hpp"

namespace tilewright {

// Moves the profile for products that the found one does not cover out of it, if there is one.
std::optional<Profile> take_fallback(FoundProfile& found);

// A profile followed by the built-in profile, unless the first is the built-in profile itself.
class ProfileStack {
 public:
  // A generic profile is completed with the kernels for the device's class. `fallback`: another
  // profile, for products that the first one does not cover (profile_search.hpp).
  ProfileStack(Profile profile, const DeviceInfo& device,
               std::optional<Profile> fallback = std::nullopt);
  ProfileStack(const ProfileStack&) = delete;  // all() points to its members
  ProfileStack& operator=(const ProfileStack&) = delete;

  const Profile& first() const { return first_; }
  const std::vector<const Profile*>& all() const { return all_; }

 private:
  Profile first_;
  std::optional<Profile> fallback_;
  Profile built_in_;
  std::vector<const Profile*> all_;
};

// Returns the kernel of the product among the named kernels; nullptr if it is in none of the
// profiles.
const KernelRecord* product_kernel(const std::vector<std::string>& names,
                                   const std::vector<const Profile*>& profiles);

// Not thread-safe.
class DevicePlans {
 public:
  // `verifies`: verify the kernels of the first profile when they are loaded (kernel_check.hpp).
  // The library does this if the driver differs from that of the tuning.
  DevicePlans(const cl::Context& context, const ListedDevice& device, Profile profile,
              bool verifies, std::optional<Profile> fallback = std::nullopt);

  const Profile& profile() const { return profiles_.first(); }
  const std::vector<const Profile*>& profiles() const { return profiles_.all(); }
  const Executor& executor() const { return executor_; }

  // Returns all plans, best first. They contain pointers to the profiles.
  std::vector<GemmPlan> rank(const GemmProblem& problem) const;
  // Loads the kernels of a plan; they live as long as this object. If a kernel cannot be loaded,
  // returns nullopt and sets `why` to the first line of the reason.
  std::optional<Route> load(const GemmPlan& plan, std::string& why);

 private:
  DeviceInfo device_;
  ProfileStack profiles_;
  Executor executor_;
  Log log_;  // none
  LazyKernels kernels_;
};

}  // namespace tilewright
