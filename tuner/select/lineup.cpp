#include "tuner/select/lineup.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "codelets/space/starting_points.hpp"
#include "tuner/journal/records/forms.hpp"
#include "tuner/search/warm_start.hpp"

namespace tilewright {
namespace {

// Number of finalists by cost and on each shape. A search takes only three samples of each
// candidate, and machines are noisy. In ten searches on three shapes each, one of the best kernels
// was among the first 32 in 29 of 30 cases, and among the first five in 16 (PoCL, two cores,
// 2026-11-22; docs/measuring.md, "Stability of the choice").
constexpr std::size_t kBest = 32;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A candidate with its cost for the op.
struct Entry {
  KernelId kernel;
  double cost = kInfinity;
  std::vector<double> ns;  // total time by screening shape
};

void add_best(std::vector<KernelId>& chosen, std::vector<Entry> from, std::size_t count,
              const std::function<double(const Entry&)>& key) {
  std::stable_sort(from.begin(), from.end(),
                   [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < std::min(count, from.size()); ++i) {
    if (key(from[i]) == kInfinity) break;
    if (std::find(chosen.begin(), chosen.end(), from[i].kernel) == chosen.end()) {
      chosen.push_back(from[i].kernel);
    }
  }
}

std::vector<Entry> lineup_entries(const std::vector<Outcome>& outcomes, Op op,
                                  const CostModel& costs, Codelet codelet) {
  std::vector<Entry> entries;
  for (const Outcome* outcome : promising_outcomes(outcomes, kBest)) {
    if (point_codelet(outcome->kernel.point()) != codelet) continue;
    const auto cost = costs.cost(*outcome);
    if (!cost) continue;
    Entry entry{outcome->kernel, *cost, {}};
    for (const GemmShape& shape : costs.shapes()) {
      entry.ns.push_back(costs.total_ns(*outcome, op, shape));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

bool is_general(const ParameterPoint& point) {
  const auto* gemm = std::get_if<GemmPoint>(&point);
  return gemm != nullptr && gemm->layout_a.is_plain() && gemm->layout_b.is_plain() &&
         gemm->access != Access::kAligned && gemm->edges == Edges::kGuarded && !gemm->image_a &&
         !gemm->image_b && gemm->split_k == 1 && gemm->stream_k == 0;
}

std::vector<KernelId> choose_finalists(const std::vector<Outcome>& outcomes, Op op,
                                       const CostModel& costs, Codelet codelet) {
  const std::vector<Entry> entries = lineup_entries(outcomes, op, costs, codelet);
  const auto by_cost = [](const Entry& entry) { return entry.cost; };
  std::vector<Entry> general;
  for (const Entry& entry : entries) {
    const ParameterPoint& point = entry.kernel.point();
    if (!is_general(point)) continue;
    const auto& gemm = std::get<GemmPoint>(point);
    if (op_from_layouts(gemm.layout_a, gemm.layout_b) == op) general.push_back(entry);
  }
  // If there is not enough time for all finalists, the first ones take part. Therefore the best of
  // each kind come before the second best of any kind.
  std::vector<KernelId> chosen;
  for (std::size_t rank = 1; rank <= kBest; ++rank) {
    add_best(chosen, entries, rank, by_cost);
    for (std::size_t s = 0; s < costs.shapes().size(); ++s) {
      add_best(chosen, entries, rank, [s](const Entry& entry) { return entry.ns[s]; });
    }
    add_best(chosen, general, 1, by_cost);
  }
  return chosen;
}

std::vector<KernelId> baseline_kernels(const std::vector<Profile>& profiles, Op op,
                                       const SpaceLimits& limits, const DeviceRates& rates) {
  std::vector<KernelId> kernels;
  for (const Profile& profile : profiles) {
    for (const ParameterPoint& point : warm_points(profile, op, limits)) {
      kernels.emplace_back(with_multiply_add_form(without_multiply_add_form(point), rates));
    }
  }
  return kernels;
}

std::set<KernelId> starting_kernels(Op op, const DeviceInfo& device, const DeviceRates& rates,
                                    Precision precision) {
  std::set<KernelId> kernels;
  for (const ParameterPoint& point : starting_points(op, typed_device(device, precision))) {
    kernels.emplace(
        with_multiply_add_form(without_multiply_add_form(with_precision(point, precision)), rates));
  }
  return kernels;
}

std::optional<std::size_t> add_plan(Lineup& lineup, const KernelId& kernel, Op op,
                                    const std::vector<GemmShape>& shapes,
                                    const AuxiliaryCost& auxiliary) {
  const bool supports = std::any_of(shapes.begin(), shapes.end(), [&](const GemmShape& shape) {
    return auxiliary.find(kernel, op, shape).has_value();
  });
  if (!supports) return std::nullopt;
  std::vector<KernelId>& finalists = lineup.finalists;
  const auto same = std::find(finalists.begin(), finalists.end(), kernel);
  const FinalPlan plan{op, static_cast<std::size_t>(same - finalists.begin())};
  if (same == finalists.end()) finalists.push_back(kernel);
  const auto found = std::find(lineup.plans.begin(), lineup.plans.end(), plan);
  if (found != lineup.plans.end()) return static_cast<std::size_t>(found - lineup.plans.begin());
  lineup.plans.push_back(plan);
  return lineup.plans.size() - 1;
}

void add_baseline(Lineup& lineup, std::size_t plan) {
  std::vector<std::size_t>& all = lineup.baselines;
  if (std::find(all.begin(), all.end(), plan) == all.end()) all.push_back(plan);
}

void add_other_ops(Lineup& lineup, const std::vector<Op>& ops, const std::vector<GemmShape>& shapes,
                   const AuxiliaryCost& auxiliary) {
  const std::vector<KernelId> finalists = lineup.finalists;
  for (const Op op : ops) {
    for (const KernelId& kernel : finalists) add_plan(lineup, kernel, op, shapes, auxiliary);
  }
}

Lineup make_lineup(const std::map<Op, OpFinalists>& by_op, std::size_t max_finalists,
                   const std::vector<GemmShape>& shapes, const AuxiliaryCost& auxiliary) {
  Lineup lineup;
  std::vector<Op> ops;
  for (const auto& [op, of_op] : by_op) {
    const auto& [finalists, baselines] = of_op;
    for (std::size_t i = 0; i < std::min(max_finalists, finalists.size()); ++i) {
      add_plan(lineup, finalists[i], op, shapes, auxiliary);
    }
    for (const KernelId& baseline : baselines) {
      const auto plan = add_plan(lineup, baseline, op, shapes, auxiliary);
      if (plan) add_baseline(lineup, *plan);
    }
    ops.push_back(op);
  }
  add_other_ops(lineup, ops, shapes, auxiliary);
  return lineup;
}

}  // namespace tilewright
