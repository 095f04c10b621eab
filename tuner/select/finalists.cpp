#include "tuner/select/finalists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "codelets/space/starting_points.hpp"
#include "tuner/journal/records/forms.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/search/warm_start.hpp"

namespace tilewright {
namespace {

// Number of finalists by cost and on each shape. A search takes only three samples of each
// candidate, and machines are noisy. In ten searches on three shapes each, one of the best kernels
// was among the first 32 in 29 of 30 cases, and among the first five in 16 (PoCL, two cores,
// 2026-11-22; docs/measuring.md, "Stability of the choice").
constexpr std::size_t kBest = 32;
constexpr std::size_t kByScore = 4;           // promising outcomes, relative to those per shape
constexpr std::size_t kPromisingGeneral = 2;  // kernels for all shapes that are kept in any case
constexpr double kMissingShape = 5.0;  // in units of log(ns per flop); more than for any kernel
constexpr double kWorst = std::numeric_limits<double>::infinity();

// A measured candidate, with the numbers by which it is ranked. Smaller is better.
struct RankedOutcome {
  const Outcome* outcome = nullptr;
  bool general = false;
  double score = 0.0;      // over all shapes
  std::vector<double> ns;  // by shape; infinity: not measured or not supported
};

using Ranking = std::vector<const Outcome*>;  // best first

// Returns the best `count` candidates by a number, without those for which it is infinite.
template <class Key>
Ranking rank(const std::vector<RankedOutcome>& all, std::size_t count, const Key& key) {
  std::vector<const RankedOutcome*> sorted;
  for (const RankedOutcome& each : all) {
    if (key(each) != kWorst) sorted.push_back(&each);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto* a, const auto* b) { return key(*a) < key(*b); });
  sorted.resize(std::min(count, sorted.size()));
  Ranking ranking;
  for (const RankedOutcome* each : sorted) ranking.push_back(each->outcome);
  return ranking;
}

// Returns the best by score, on each shape, and of the general kernels.
std::vector<Ranking> rankings(const std::vector<RankedOutcome>& all, std::size_t by_score,
                              std::size_t per_shape, std::size_t general) {
  std::vector<Ranking> result = {
      rank(all, by_score, [](const RankedOutcome& each) { return each.score; })};
  for (std::size_t s = 0; !all.empty() && s < all.front().ns.size(); ++s) {
    result.push_back(rank(all, per_shape, [s](const RankedOutcome& each) { return each.ns[s]; }));
  }
  result.push_back(rank(
      all, general, [](const RankedOutcome& each) { return each.general ? each.score : kWorst; }));
  return result;
}

template <class Element>
void add_new(std::vector<Element>& all, const Element& element) {
  if (std::find(all.begin(), all.end(), element) == all.end()) all.push_back(element);
}

// Returns the kind of a product; kernels of the same kind compete for the same calls, and their
// times can be compared. Returns "" for a kernel that computes no plain product.
template <class Point>
std::string product_kind(const Point& point) {
  if (point.bias != Dimension::kNone || point.activation != Activation::kIdentity) return "";
  std::string kind = layout_name(point.layout_a) + " " + layout_name(point.layout_b);
  if constexpr (requires { point.narrow; }) kind += fmt::format(" {}", to_text(point.narrow));
  return kind;
}

std::string point_kind(const ParameterPoint& point) {
  if (const auto* gemm = std::get_if<GemmPoint>(&point)) {
    std::string kind = gemm->layout_c == Layout::R() ? product_kind(*gemm) : "";
    // Kernels that divide k need a second launch, which adds up the parts. Their kernel times do
    // not include it, so they cannot be compared with those of other kernels.
    if (!kind.empty() && (gemm->split_k > 1 || gemm->stream_k > 0)) kind += " in parts";
    return kind;
  }
  if (const auto* gemv = std::get_if<GemvPoint>(&point)) return product_kind(*gemv);
  return "";
}

double kernel_ns(const Outcome& outcome, const GemmShape& shape) {
  const ShapeSamples* samples = samples_on(outcome, shape);
  return samples == nullptr || samples->ns.empty() ? kWorst : median_ns(*samples);
}

}  // namespace

bool is_general(const ParameterPoint& point) {
  const auto* gemm = std::get_if<GemmPoint>(&point);
  return gemm != nullptr && gemm->layout_a.is_plain() && gemm->layout_b.is_plain() &&
         gemm->access != Access::kAligned && gemm->edges == Edges::kGuarded && !gemm->image_a &&
         !gemm->image_b && gemm->split_k == 1 && gemm->stream_k == 0;
}

std::vector<const Outcome*> promising_outcomes(const std::vector<Outcome>& outcomes,
                                               std::size_t per_shape) {
  std::vector<GemmShape> shapes;
  std::map<std::string, std::vector<RankedOutcome>> by_kind;
  for (const Outcome& outcome : outcomes) {
    if (outcome.result != OutcomeClass::kOk || outcome.shapes.empty()) continue;
    for (const ShapeSamples& samples : outcome.shapes) add_new(shapes, samples.shape);
    const ParameterPoint& point = outcome.kernel.point();
    if (const std::string kind = point_kind(point); !kind.empty()) {
      by_kind[kind].push_back({&outcome, is_general(point), 0.0, {}});
    }
  }
  std::vector<const Outcome*> kept;
  for (auto& [kind, candidates] : by_kind) {
    for (RankedOutcome& candidate : candidates) {
      for (const GemmShape& shape : shapes) {
        const double ns = candidate.ns.emplace_back(kernel_ns(*candidate.outcome, shape));
        candidate.score += ns == kWorst ? kMissingShape : std::log(ns / flops(shape));
      }
    }
    for (const Ranking& ranking :
         rankings(candidates, kByScore * per_shape, per_shape, kPromisingGeneral)) {
      for (const Outcome* outcome : ranking) add_new(kept, outcome);
    }
  }
  // In the order in which they were tried.
  std::sort(kept.begin(), kept.end());
  return kept;
}

std::vector<KernelId> choose_finalists(const std::vector<Outcome>& outcomes, Op op,
                                       const CostModel& costs, Codelet codelet) {
  std::vector<RankedOutcome> candidates;
  for (const Outcome* outcome : promising_outcomes(outcomes, kBest)) {
    const ParameterPoint& point = outcome->kernel.point();
    if (point_codelet(point) != codelet) continue;
    const auto cost = costs.cost(*outcome);
    if (!cost) continue;
    const auto* gemm = std::get_if<GemmPoint>(&point);
    const bool general = is_general(point) && op_from_layouts(gemm->layout_a, gemm->layout_b) == op;
    RankedOutcome& candidate = candidates.emplace_back(RankedOutcome{outcome, general, *cost, {}});
    for (const GemmShape& shape : costs.shapes()) {
      candidate.ns.push_back(costs.total_ns(*outcome, op, shape));
    }
  }
  // If there is not enough time for all finalists, the first ones take part. Therefore the best of
  // each kind come before the second best of any kind.
  const std::vector<Ranking> lists = rankings(candidates, kBest, kBest, 1);
  std::vector<KernelId> chosen;
  for (std::size_t i = 0; i < kBest; ++i) {
    for (const Ranking& ranking : lists) {
      if (i < ranking.size()) add_new(chosen, ranking[i]->kernel);
    }
  }
  return chosen;
}

std::vector<KernelId> baseline_kernels(const std::vector<Profile>& profiles, Op op,
                                       const SpaceLimits& limits, const DeviceRates& rates) {
  std::vector<KernelId> kernels;
  for (const Profile& profile : profiles) {
    for (const ParameterPoint& point : warm_points(profile, op, limits)) {
      kernels.emplace_back(with_multiply_add_form(point, rates));
    }
  }
  return kernels;
}

std::set<KernelId> starting_kernels(Op op, const DeviceInfo& device, const DeviceRates& rates,
                                    Precision precision) {
  std::set<KernelId> kernels;
  for (const ParameterPoint& point : starting_points(op, typed_device(device, precision))) {
    kernels.emplace(with_multiply_add_form(with_precision(point, precision), rates));
  }
  return kernels;
}

bool is_usable(const KernelId& kernel, const std::vector<Op>& ops,
               const std::vector<GemmShape>& shapes, const AuxiliaryCost& auxiliary) {
  return std::any_of(ops.begin(), ops.end(), [&](Op op) {
    return std::any_of(shapes.begin(), shapes.end(), [&](const GemmShape& shape) {
      return auxiliary.find(kernel, op, shape).has_value();
    });
  });
}

Finalists join_finalists(const std::map<Op, OpFinalists>& by_op, std::size_t max_finalists,
                         const std::vector<GemmShape>& shapes, const AuxiliaryCost& auxiliary) {
  Finalists joined;
  for (const auto& [op, of_op] : by_op) {
    const auto& [finalists, baselines] = of_op;
    for (std::size_t i = 0; i < std::min(max_finalists, finalists.size()); ++i) {
      if (is_usable(finalists[i], {op}, shapes, auxiliary)) add_new(joined.kernels, finalists[i]);
    }
    for (const KernelId& baseline : baselines) {
      if (!is_usable(baseline, {op}, shapes, auxiliary)) continue;
      add_new(joined.kernels, baseline);
      add_new(joined.baselines, baseline);
    }
  }
  return joined;
}

}  // namespace tilewright
