// Chooses the kernel for a product and the steps before and after it.
//
// The decision uses no OpenCL: it maps records and measured results to an ordered list of plans.
// The library uses the first plan whose kernels load.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "runtime/call/stream_division.hpp"
#include "runtime/plan/plan_times.hpp"

namespace tilewright {

// One way to compute a product.
struct GemmPlan {
  // The kernels for a step, in order of preference.
  using Choices = std::vector<const KernelRecord*>;

  GemmShape shape;
  const Profile* profile = nullptr;  // the profile of the product's kernel
  // For each step the kernels that can do it, in order of preference (pack kernels: by measured
  // time, then those without one); empty if the step is not needed. The product has exactly one
  // kernel.
  PerStep<Choices> choices;
  PlanTimes times;           // times with the first choice of each step
  bool b_prepacked = false;  // B is packed once for many products, so its packing does not count
  std::optional<StreamDivision> division;  // of a kernel with stream_k
  PartialProducts parts;                   // that the product stores for the reduce kernel

  const KernelRecord& kernel() const { return *choices[CallStep::kGemm].front(); }
  // True if the step runs in each call.
  bool runs(CallStep step) const {
    return !choices[step].empty() && !(b_prepacked && step == CallStep::kPackB);
  }
};

// The input of planning, all for one device; must outlive the plans.
struct PlanBasis {
  const std::vector<const Profile*>& profiles;
  const MeasuredTimes& times;
  const DeviceInfo& device;
};

// Bytes of device memory for the plan's temporaries.
std::uint64_t temporary_bytes(const GemmPlan& plan);

// The predicted time and its basis, with the additional steps of the plan and the time of each.
std::string reason_text(const GemmPlan& plan);

// Returns all plans for the problem with kernels of `profiles`, which are for one device, best
// first. In this order:
// - The plan that runs without a tuned profile, unless the profile knows how long its kernel takes
//   on shapes like this one, and another plan is predicted to be faster by more than the errors of
//   the two models may explain. On a shape on which both were measured, the faster one is used.
// - Kernels that were measured on shapes like this one, then those with another prediction, then
//   those without any (PlanTimes::rank).
// - On a shape that was tuned for the op, kernels that were measured there come before others,
//   because the tuning found no better one.
// - Shorter predicted time from the first to the last command: kernel, packing, reduction of parts,
//   launches. If the kernel was never measured: the time of the other steps.
// - Otherwise earlier profiles first, and kernels in the order of their profile.
//
// Kernels that do not fit the device or the shape, or whose operands cannot be packed, are left
// out. So are kernels with a bias or activation, unless the problem has this epilogue. An epilogue
// is implemented by such a kernel, by the reduction of a split k, or by an activation kernel in
// place; it is not supported if C is read. Of the problem's matrices only offsets and leading
// dimensions are used: their common_alignment(), and whether a C that is processed in place has
// gaps. The profiles must outlive the plans.
std::vector<GemmPlan> rank_plans(const std::vector<const Profile*>& profiles,
                                 const DeviceInfo& device, const GemmProblem& problem);
// The same with precomputed times, for many problems: `times` is MeasuredTimes(profiles).
std::vector<GemmPlan> rank_plans(const std::vector<const Profile*>& profiles,
                                 const MeasuredTimes& times, const DeviceInfo& device,
                                 const GemmProblem& problem);

// The largest power of two, at most `most` (a power of two itself), that divides the matrix'
// offset, its leading dimension and the alignment of its buffer.
std::size_t common_alignment(const MatrixArgument& matrix, std::size_t most);

}  // namespace tilewright
