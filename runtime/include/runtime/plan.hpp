// Which kernel serves a product, and what must be packed for it?
//
// The decision knows no OpenCL: records and measured results in, an ordered list of ways out. The
// library takes the first way whose kernels load.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/gemm_problem.hpp"

namespace tilewright {

// One way to serve a product.
struct GemmPlan {
  const KernelRecord* kernel = nullptr;
  const Profile* profile = nullptr;    // that the kernel belongs to
  bool pack_a = false;                 // A is brought from layout C to R first
  bool pack_b = false;                 // B likewise
  std::optional<double> predicted_ns;  // time of the kernel; nullopt: never measured for this op
};

// Why the plan stands where it stands: a sentence.
std::string reason_of(const GemmPlan& plan);

// All ways to serve op on the shape with kernels of `profiles`, best first:
//  - a kernel with measured results before one without;
//  - a way that packs nothing before one that packs, and one that packs the smaller operand first;
//  - less predicted time first;
//  - else earlier profiles first, kernels in their profile's order.
// Kernels that the device's limits or the shape (multiples) rule out do not appear. The profiles
// must outlive the plans.
std::vector<GemmPlan> rank_plans(const std::vector<const Profile*>& profiles,
                                 const DeviceLimits& limits, Op op, const GemmShape& shape);

// Predicted time of a kernel on a shape: that of its measured result with the nearest shape
// (distance of the logarithms of m, n and k), scaled by the work of both in whole work-groups.
// nullopt without a result.
std::optional<double> predict_ns(const Profile& profile, const KernelRecord& kernel, Op op,
                                 const GemmShape& shape);

// The kernels of role kPack that bring layout C to R, whatever the extents, in order of preference.
std::vector<const KernelRecord*> pack_kernels(const std::vector<const Profile*>& profiles,
                                              const DeviceLimits& limits);

}  // namespace tilewright
