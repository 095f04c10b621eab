// Which competitors are all the plans of a profile to serve a product?
//
// For judging the planner: each plan is launched as the library would launch it, chosen or not.
#pragma once

#include <string>
#include <vector>

#include "runtime/device/temporary_pool.hpp"
#include "tuner/bench/competitors.hpp"
#include "tuner/bench/plan_kernels.hpp"
#include "tuner/journal/records/worker_protocol.hpp"
#include "tuner/measure/device/device_choice.hpp"

namespace tilewright {

struct RunnablePlan {
  std::unique_ptr<ProductCompetitor> competitor;
  std::vector<std::string> kernels;  // that it runs, in order
  double predicted_ns = 0.0;         // end to end; 0: its kernel was never measured
};

// Which plans are not launched.
struct PlanLimits {
  double max_dispatch_ns;                    // what is predicted to take longer,
  const std::vector<std::string>& excluded;  // products with kernels of these names,
  std::size_t max_plans;                     // and what comes after so many; 0: any number
};

// Not thread-safe.
class ProfilePlans {
 public:
  // Throws Error as Library::open does.
  ProfilePlans(const cl::Context& context, const ListedDevice& device, const ProfileSource& source);
  ProfilePlans(const ProfilePlans&) = delete;  // competitors point to it
  ProfilePlans& operator=(const ProfilePlans&) = delete;

  // Ways that build, best predicted first: the first serves in the library. All of the profile; of
  // the built-in one behind it only what serves. Competitors must not outlive this or the arena's
  // workload.
  // Nothing is built that is excluded. `left_out` gets those that are predicted to take too long.
  // `announce` is told what is built next.
  std::vector<RunnablePlan> of(const ProductArena& arena, const PlanLimits& limits,
                               const Announce& announce, std::vector<std::string>& left_out);
  // The kernel of the best predicted one, built or not; "": none serves.
  std::string first_kernel(const GemmProblem& problem) const;
  // K steps that kernels of the profile add up in halfs.
  int half_sums() const { return max_half_sums(profile_); }

 private:
  Profile profile_;
  Profile generic_;
  std::vector<const Profile*> profiles_;
  DeviceInfo device_;
  Executor executor_;
  TemporaryPool temporaries_;
  PlanKernels kernels_;
};

}  // namespace tilewright
