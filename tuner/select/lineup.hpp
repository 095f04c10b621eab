// Which kernels take part in the finals?
//
// Pure: outcomes in, finalists and plans out.
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

// The outcomes from which alone any decision is made: of each codelet and pair of operand layouts
// the best by kernel time, so many on each shape and four times as many all in all, and the best
// general ones. To look at thousands would take seconds. Kernels that do a network's part beside
// the product are none.
std::vector<const Outcome*> promising_outcomes(const std::vector<Outcome>& outcomes,
                                               std::size_t per_shape = 4);

// Kernels of a codelet (gemm or gemv) that are finalists for one op, without repeats: the
// best by cost, the best on each screening shape and the best general one, then the second best of
// each kind, and so on.
std::vector<KernelId> choose_finalists(const std::vector<Outcome>& outcomes, Op op,
                                       const CostModel& costs, Codelet codelet = Codelet::kGemm);

// Does the kernel take any offset, leading dimension and extent, as its caller has them?
bool is_general(const ParameterPoint& point);

// Kernels that would serve the op without this tuning, as they would be tried on this device: those
// of the profiles, first profile first. Repeats are possible.
std::vector<KernelId> baseline_kernels(const std::vector<Profile>& profiles, Op op,
                                       const SpaceLimits& limits, const DeviceRates& rates);

// The starting points of a search for an op, as they are tried on this device; not those that want
// packs.
std::set<KernelId> starting_kernels(Op op, const DeviceInfo& device, const DeviceRates& rates,
                                    Precision precision = Precision::kSingle);

// The kernels for an op, best first.
struct OpFinalists {
  std::vector<KernelId> finalists;
  std::vector<KernelId> baselines;
};

// Of a line-up: a plan of the kernel for the op, where it can serve any of the shapes; nullopt: it
// cannot, or what must run beside it is not known. A kernel that serves several ops is one
// finalist, and a plan that is there already is not added again.
std::optional<std::size_t> add_plan(Lineup& lineup, const KernelId& kernel, Op op,
                                    const std::vector<GemmShape>& shapes,
                                    const AuxiliaryCost& auxiliary);
void add_baseline(Lineup& lineup, std::size_t plan);
// Whatever was chosen for one op is measured once for all, and may serve the others, too: plans for
// each op that it can serve.
void add_other_ops(Lineup& lineup, const std::vector<Op>& ops, const std::vector<GemmShape>& shapes,
                   const AuxiliaryCost& auxiliary);

// The line-up of each op's first `most` finalists and baselines, all with add_other_ops().
Lineup make_lineup(const std::map<Op, OpFinalists>& by_op, std::size_t max_finalists,
                   std::size_t max_baselines, const std::vector<GemmShape>& shapes,
                   const AuxiliaryCost& auxiliary);

}  // namespace tilewright
