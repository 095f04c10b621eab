// Which plans for a product build on this device?
//
// The library's own choice is made of the same steps; here any plan can be asked for, not only the
// first that loads, and nothing is kept from the application's point of view.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "runtime/plan/operands.hpp"

namespace tilewright {

// Kernels of plans, compiled when first asked for. Not thread-safe. The records that plans point to
// must outlive it.
class PlanKernels {
 public:
  // The executor must outlive it.
  // `verified`: those records whose kernels the library verifies before they serve
  // (kernel_check.hpp); null: none.
  explicit PlanKernels(const Executor& executor, const Profile* verified = nullptr)
      : executor_(executor), verified_(verified) {}
  PlanKernels(const PlanKernels&) = delete;  // routes point to its kernels
  PlanKernels& operator=(const PlanKernels&) = delete;

  // The plan with its kernels, which live as long as this; nullopt if one that it needs does not
  // load: `why` is then the first line of what the driver says of it.
  std::optional<Route> route(const GemmPlan& plan, std::string& why);

 private:
  LoadedKernel* load(const KernelRecord& record, std::string& why);
  Loaded try_load(const KernelRecord& record) const;

  const Executor& executor_;
  const Profile* verified_;
  std::map<const KernelRecord*, Loaded> loaded_;
};

}  // namespace tilewright
