// Which kernel serves a product, and what must be done before and after it?
//
// The decision knows no OpenCL: records and measured results in, an ordered list of plans out. The
// library takes the first whose kernels load.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "runtime/plan/plan_times.hpp"

namespace tilewright {

// How a product may be served.
struct GemmPlan {
  using Choices = std::vector<const KernelRecord*>;

  GemmShape shape;
  const Profile* profile = nullptr;  // that the product's kernel belongs to
  // For each step the kernels that can do it, in order of preference (pack kernels: by what they
  // were measured at, then those that were not); empty where nothing must be done. The product has
  // one kernel.
  PerStep<Choices> choices;
  PlanTimes times;  // with the first of each of the choices
  // It goes along memory for what is done in C at the end, whatever C's layout.
  bool finish_along_memory = false;
  bool b_prepacked = false;  // B is packed once, for many products: that does not count

  const KernelRecord& kernel() const { return *choices[CallStep::kGemm].front(); }
  // Is there something to do, each time?
  bool runs(CallStep step) const {
    return !choices[step].empty() && !(b_prepacked && step == CallStep::kPackB);
  }
};

// What plans are made of, all of one device; must outlive them.
struct PlanBasis {
  const std::vector<const Profile*>& profiles;
  const MeasuredTimes& times;
  const DeviceInfo& device;
  // Has the kernel turned out not to load? Then it serves nothing.
  std::function<bool(const KernelRecord&)> misses;
};

// Bytes of device memory that the plan needs for matrices between its commands.
std::uint64_t temporary_bytes(const GemmPlan& plan);

// What the predicted time of a plan, and so its rank, rests on.
enum class TimeBasis {
  kMeasuredHere,       // its kernel was measured on this shape
  kPredicted,          // its kernel was measured on other shapes
  kUntuned,            // likewise, and others were measured on this one
  kGuessed,            // a built-in kernel that was never measured: facts of the device
  kUnmeasuredBuiltIn,  // likewise, without such facts
  kUnmeasured,         // its kernel has no measured result for this op
  kNeverCompared,      // its kernel was never compared with the built-in ones on shapes like this
};
TimeBasis time_basis(const GemmPlan& plan);
// The predicted time with its basis: a sentence.
std::string time_text(const GemmPlan& plan);

// The same, with what the plan does in addition to the product and the predicted time of each part.
std::string reason_of(const GemmPlan& plan);

// All plans to serve the problem with kernels of `profiles`, which are of one device, best first:
//  - a kernel with measured results before one without; last those that were never compared with
//    the built-in kernels on the nearest tuned shape (PlanTimes::rank);
//  - on a shape that was tuned for the op, a kernel that was measured there before one that was
//    not: no better one was found for it;
//  - less predicted time first, from the first command to the last: the kernel, packing, adding up
//    parts, launches. Where the kernel was never measured: of what is done beside it;
//  - else earlier profiles first, kernels in their profile's order.
// Kernels that do not fit the device or serve the shape, and kernels that nothing brings the
// operands to, do not appear; nor do those with a bias or activation, unless that is what the
// problem asks for that. An epilogue is met by such a kernel, by what adds up a split k, or by an
// activation kernel in place; not at all where C is read. Of the problem's matrices only offsets
// and leading dimensions are looked at, and of those only what alignment_of() tells, and whether a
// C that is finished in place has gaps. The profiles must outlive the plans.
std::vector<GemmPlan> rank_plans(const std::vector<const Profile*>& profiles,
                                 const DeviceInfo& device, const GemmProblem& problem);
// The same for many problems: `times` is MeasuredTimes(profiles). Null: all operands are a call's.
std::vector<GemmPlan> rank_plans(const std::vector<const Profile*>& profiles,
                                 const MeasuredTimes& times, const DeviceInfo& device,
                                 const GemmProblem& problem, const RoomyOperands* roomy = nullptr);

// A built-in kernel as it stands behind every profile?
bool is_unmeasured_built_in(const GemmPlan& plan);

// The largest power of two, up to `most` (one itself), that divides a matrix' offset, its leading
// dimension and the alignment of its buffer.
std::size_t alignment_of(const MatrixArgument& matrix, std::size_t most);

}  // namespace tilewright
