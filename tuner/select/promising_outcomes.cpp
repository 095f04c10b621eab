// Selects the outcomes that are promising enough for the finals.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/select/lineup.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kByScore = 4;           // relative to the number per shape
constexpr std::size_t kPromisingGeneral = 2;  // kernels for all shapes that are kept in any case
constexpr double kMissingShape = 5.0;  // in units of log(ns per flop); more than for any kernel
constexpr double kWorst = std::numeric_limits<double>::infinity();

// A measured candidate, with the time of its kernel alone.
struct ScoredOutcome {
  const Outcome* outcome = nullptr;
  bool general = false;
  double score = 0.0;  // sum of log(ns per flop) over shapes, with a penalty for each missing shape
};

void keep_best(std::vector<const Outcome*>& kept, std::vector<ScoredOutcome> from,
               std::size_t count, const std::function<double(const ScoredOutcome&)>& key) {
  std::stable_sort(from.begin(), from.end(),
                   [&](const ScoredOutcome& a, const ScoredOutcome& b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < std::min(count, from.size()); ++i) {
    if (key(from[i]) == kWorst) break;
    if (std::find(kept.begin(), kept.end(), from[i].outcome) == kept.end()) {
      kept.push_back(from[i].outcome);
    }
  }
}

double ns_on(const ScoredOutcome& timed, const GemmShape& shape) {
  const ShapeSamples* samples = samples_on(*timed.outcome, shape);
  return samples == nullptr || samples->ns.empty() ? kWorst : median_ns(*samples);
}

// Returns the kind of a product; kernels of the same kind compete for the same calls. Returns ""
// for a kernel that computes no plain product.
template <class Point>
std::string product_kind(const Point& point) {
  if (point.bias != Dimension::kNone || point.activation != Activation::kIdentity) return "";
  std::string kind = layout_name(point.layout_a) + " " + layout_name(point.layout_b);
  if constexpr (requires { point.narrow; }) kind += fmt::format(" {}", to_text(point.narrow));
  return kind;
}

std::string point_kind(const ParameterPoint& point) {
  if (const auto* gemm = std::get_if<GemmPoint>(&point)) {
    return gemm->layout_c == Layout::R() ? product_kind(*gemm) : "";
  }
  if (const auto* gemv = std::get_if<GemvPoint>(&point)) return product_kind(*gemv);
  return "";
}

}  // namespace

std::vector<const Outcome*> promising_outcomes(const std::vector<Outcome>& outcomes,
                                               std::size_t per_shape) {
  std::vector<GemmShape> shapes;
  std::map<std::string, std::vector<ScoredOutcome>> by_kind;
  for (const Outcome& outcome : outcomes) {
    if (outcome.result != OutcomeClass::kOk || outcome.shapes.empty()) continue;
    for (const ShapeSamples& samples : outcome.shapes) {
      const bool known = std::find(shapes.begin(), shapes.end(), samples.shape) != shapes.end();
      if (!known) shapes.push_back(samples.shape);
    }
    const ParameterPoint& point = outcome.kernel.point();
    if (const std::string kind = point_kind(point); !kind.empty()) {
      by_kind[kind].push_back({&outcome, is_general(point), 0.0});
    }
  }
  std::vector<const Outcome*> kept;
  for (auto& [kind, candidates] : by_kind) {
    for (ScoredOutcome& candidate : candidates) {
      for (const GemmShape& shape : shapes) {
        const double ns = ns_on(candidate, shape);
        candidate.score += ns == kWorst ? kMissingShape : std::log(ns / flops(shape));
      }
    }
    const auto score = [](const ScoredOutcome& timed) { return timed.score; };
    keep_best(kept, candidates, kByScore * per_shape, score);
    keep_best(kept, candidates, kPromisingGeneral,
              [](const ScoredOutcome& timed) { return timed.general ? timed.score : kWorst; });
    for (const GemmShape& shape : shapes) {
      keep_best(kept, candidates, per_shape,
                [&](const ScoredOutcome& timed) { return ns_on(timed, shape); });
    }
  }
  // In the order in which they were tried.
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace tilewright
