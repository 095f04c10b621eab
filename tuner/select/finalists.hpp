// Selects the kernels that take part in the finals.
//
// These functions do not access a device.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "codelets/point/validity.hpp"
#include "tuner/journal/records/finals_record.hpp"
#include "tuner/journal/records/outcome.hpp"
#include "tuner/journal/records/worker_protocol.hpp"
#include "tuner/search/auxiliary_cost.hpp"
#include "tuner/search/cost.hpp"

namespace tilewright {

// Returns the outcomes that decisions are based on, since examining thousands would take seconds.
// For each codelet and pair of operand layouts, and separately for kernels whose parts of k are
// added up by another kernel, these are the best by kernel time: `per_shape` on each shape, four
// times as many over all shapes, and the best general kernels. Kernels with the bias or activation
// of a network are left out.
std::vector<const Outcome*> promising_outcomes(const std::vector<Outcome>& outcomes,
                                               std::size_t per_shape = 4);

// Returns the kernels of a codelet (gemm or gemv) that become finalists for an op, without
// duplicates: the best by cost, the best on each screening shape and the best general kernel, then
// the second best of each kind, and so on.
std::vector<KernelId> choose_finalists(const std::vector<Outcome>& outcomes, Op op,
                                       const CostModel& costs, Codelet codelet = Codelet::kGemm);

// Returns true if the kernel supports every offset, leading dimension and extent without packing.
bool is_general(const ParameterPoint& point);

// Returns the kernels of the profiles for the op, in the form in which they are tried on this
// device. These are the kernels that would be used without this tuning. The order is that of the
// profiles, and there may be duplicates.
std::vector<KernelId> baseline_kernels(const std::vector<Profile>& profiles, Op op,
                                       const SpaceLimits& limits, const DeviceRates& rates);

// Returns the starting points of a search for an op, in the form in which they are tried on this
// device, without those that need packing.
std::set<KernelId> starting_kernels(Op op, const DeviceInfo& device, const DeviceRates& rates,
                                    Precision precision = Precision::kSingle);

// Returns true if the kernel can compute one of the ops on one of the shapes. It cannot, for
// example, if a required auxiliary kernel is missing.
bool is_usable(const KernelId& kernel, const std::vector<Op>& ops,
               const std::vector<GemmShape>& shapes, const AuxiliaryCost& auxiliary);

// The kernels for one op, best first.
struct OpFinalists {
  std::vector<KernelId> finalists;
  std::vector<KernelId> baselines;
};

// Returns each op's first `max_finalists` finalists and all baselines, without those that are not
// usable. A finalist takes part for every op that it supports, whichever op it was chosen for.
Finalists join_finalists(const std::map<Op, OpFinalists>& by_op, std::size_t max_finalists,
                         const std::vector<GemmShape>& shapes, const AuxiliaryCost& auxiliary);

}  // namespace tilewright
