// Determines the built-in kernels that run without a profile.
//
// It uses the library's planner with the built-in kernels for the device's class, as an application
// without a profile does. A tuning measures these kernels first. They are in all finals, and the
// profile stores their times, so that the library knows where a tuned kernel is faster. These
// functions do not access a device.
#pragma once

#include <optional>
#include <vector>

#include "runtime/plan/plan_times.hpp"
#include "tuner/journal/journal.hpp"

namespace tilewright {

class Baseline {
 public:
  // For the device, the precision and the use of op(B) in the journal.
  explicit Baseline(const JournalHeader& header);
  Baseline(const Baseline&) = delete;  // times_ points to profile_
  Baseline& operator=(const Baseline&) = delete;

  // Returns the built-in kernels that can run a product of matrices without padding, in the order
  // in which the library prefers them.
  std::vector<KernelId> ranking(Op op, const GemmShape& shape) const;
  // Returns the first kernel of this order that worked in the tuning; nullopt if this is unknown.
  std::optional<KernelId> first_that_works(const std::vector<Outcome>& outcomes, Op op,
                                           const GemmShape& shape) const;
  // Returns the kernels that the library may use on such shapes: the first three for each op and
  // shape.
  std::vector<KernelId> kernels(const std::vector<Op>& ops,
                                const std::vector<GemmShape>& shapes) const;

 private:
  DeviceInfo device_;
  Precision precision_;
  bool b_prepacked_;
  Profile profile_;
  std::vector<const Profile*> profiles_{&profile_};
  MeasuredTimes times_;
};

// Returns the built-in kernels that were measured as the baseline and work.
std::vector<KernelId> working_built_in(const std::vector<Outcome>& outcomes);

// Returns the outcome of a built-in kernel as the baseline; nullptr if it was not tried yet.
const Outcome* built_in_outcome(const std::vector<Outcome>& outcomes, const KernelId& kernel);

}  // namespace tilewright
