// What runs without a profile?
//
// The library's own planner with the built-in kernels for the device's class, as an application
// without a profile gets them. A tuning measures these kernels first. They are in every line-up,
// and the profile stores their times: only so does the library know where a tuned kernel is faster.
// Pure.
#pragma once

#include <optional>
#include <vector>

#include "runtime/plan/plan_times.hpp"
#include "tuner/journal/journal.hpp"

namespace tilewright {

class Baseline {
 public:
  // Of the journal's device, precision and use of op(B).
  explicit Baseline(const JournalHeader& header);
  Baseline(const Baseline&) = delete;  // times_ points to profile_
  Baseline& operator=(const Baseline&) = delete;

  // The built-in kernels that can run a product of dense matrices, in the order of the library.
  std::vector<KernelId> ranking(Op op, const GemmShape& shape) const;
  // The first of the ranking that works, by what the tuning knows; nullopt: that is not known.
  std::optional<KernelId> first_that_works(const std::vector<Outcome>& outcomes, Op op,
                                           const GemmShape& shape) const;
  // Those that a library may run on such shapes: of each op and shape the first three.
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

// The built-in kernels that were measured as such, and work.
std::vector<KernelId> working_built_in(const std::vector<Outcome>& outcomes);

// Returns the outcome of a built-in kernel as the baseline; nullptr if it was not tried yet.
const Outcome* built_in_outcome(const std::vector<Outcome>& outcomes, const KernelId& kernel);

}  // namespace tilewright
