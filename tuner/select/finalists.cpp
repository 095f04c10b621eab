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

using Ranking = std::vector<const Outcome*>;  // best first

// Returns the best `count` candidates by a number, the smallest first, without those for which it
// is infinite.
template <class Key>
Ranking rank(const Ranking& all, std::size_t count, const Key& key) {
  std::vector<std::pair<double, const Outcome*>> sorted;
  for (const Outcome* outcome : all) {
    if (const double number = key(*outcome); number != kWorst) sorted.emplace_back(number, outcome);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  sorted.resize(std::min(count, sorted.size()));
  Ranking ranking;
  for (const auto& [number, outcome] : sorted) ranking.push_back(outcome);
  return ranking;
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
  std::map<std::string, Ranking> by_kind;
  for (const Outcome& outcome : outcomes) {
    if (outcome.result != OutcomeClass::kOk || outcome.shapes.empty()) continue;
    for (const ShapeSamples& samples : outcome.shapes) add_new(shapes, samples.shape);
    const std::string kind = point_kind(outcome.kernel.point());
    if (!kind.empty()) by_kind[kind].push_back(&outcome);
  }
  const auto score = [&](const Outcome& outcome) {
    double sum = 0.0;
    for (const GemmShape& shape : shapes) {
      const double ns = kernel_ns(outcome, shape);
      sum += ns == kWorst ? kMissingShape : std::log(ns / flops(shape));
    }
    return sum;
  };
  std::vector<const Outcome*> kept;
  for (const auto& entry : by_kind) {
    const auto keep = [&](std::size_t count, const auto& key) {
      for (const Outcome* outcome : rank(entry.second, count, key)) add_new(kept, outcome);
    };
    keep(kByScore * per_shape, score);
    for (const GemmShape& shape : shapes) {
      keep(per_shape, [&](const Outcome& outcome) { return kernel_ns(outcome, shape); });
    }
    keep(kPromisingGeneral, [&](const Outcome& outcome) {
      return is_general(outcome.kernel.point()) ? score(outcome) : kWorst;
    });
  }
  // In the order in which they were tried.
  std::sort(kept.begin(), kept.end());
  return kept;
}

std::vector<KernelId> choose_finalists(const std::vector<Outcome>& outcomes, Op op,
                                       const CostModel& costs, Codelet codelet) {
  const auto score = [&](const Outcome& outcome) { return costs.cost(outcome).value_or(kWorst); };
  Ranking candidates;
  for (const Outcome* outcome : promising_outcomes(outcomes, kBest)) {
    if (point_codelet(outcome->kernel.point()) == codelet && score(*outcome) != kWorst) {
      candidates.push_back(outcome);
    }
  }
  // If there is not enough time for all finalists, the first ones take part. Therefore the best of
  // each kind come before the second best of any kind.
  std::vector<Ranking> lists = {rank(candidates, kBest, score)};
  for (const GemmShape& shape : costs.shapes()) {
    lists.push_back(rank(candidates, kBest, [&](const Outcome& outcome) {
      return costs.total_ns(outcome, op, shape);
    }));
  }
  lists.push_back(rank(candidates, 1, [&](const Outcome& outcome) {
    const auto* gemm = std::get_if<GemmPoint>(&outcome.kernel.point());
    const bool is_for_all_calls =
        is_general(outcome.kernel.point()) && op_from_layouts(gemm->layout_a, gemm->layout_b) == op;
    return is_for_all_calls ? score(outcome) : kWorst;
  }));
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
