// How long will a way to serve a product take?
//
// Predictions from what a profile has measured, without a device: of the kernel from its results,
// of what is done beside it from the results of pack kernels and the rates of the device.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/gemm_problem.hpp"
#include "runtime/storage.hpp"

namespace tilewright {

// Predicted times of one call. 0 for what is not done.
struct PlanTimes {
  std::optional<double> kernel_ns;  // nullopt: never measured for this op
  double pack_a_ns = 0.0;
  double pack_b_ns = 0.0;
  double pack_c_ns = 0.0;
  double unpack_c_ns = 0.0;
  double reduce_ns = 0.0;
  double launches_ns = 0.0;  // of the commands beside the kernel

  double beside_ns() const;
  // End to end; of a kernel that was never measured: what is done beside it.
  double total_ns() const { return kernel_ns.value_or(0.0) + beside_ns(); }
};

// Predicted time of a kernel on a shape, from the two of its results whose shapes are nearest
// (distance of the logarithms of m, n and k): time per work, in whole work-groups, changes between
// them as on a straight line in logarithms, and beyond them stays what it is at the nearest.
// Between two shapes a kernel's rate mostly climbs from one plateau to another, so the line is
// never far off; beyond them it would promise rates that nobody has seen. nullopt without a result.
std::optional<double> predict_ns(const Profile& profile, const KernelRecord& kernel, Op op,
                                 const GemmShape& shape);

// What moving matrices beside a product costs on a device.
class MoveTimes {
 public:
  // From the profiles of that device. The profiles must outlive this.
  explicit MoveTimes(const std::vector<const Profile*>& profiles);

  // By the result of the pack kernel, or by the bytes that it reads and writes.
  double pack_ns(const KernelRecord& pack, const PackProblem& problem) const;
  // Adding up the parts of a split k.
  double reduce_ns(const Storage& parts, const GemmProblem& problem) const;
  // One more command.
  double launch_ns() const { return launch_ns_; }

 private:
  std::map<const KernelRecord*, double> ns_per_element_;  // of pack kernels
  double ns_per_byte_;
  double launch_ns_ = 0.0;
};

}  // namespace tilewright
