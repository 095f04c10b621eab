#include "tuner/search/cost.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/slow_down.hpp"

namespace tilewright {
namespace {

// Cost of a shape that a kernel does not support, as a multiple of the best time.
constexpr double kUnsupportedCost = 2.0;

}  // namespace

std::optional<double> CostModel::cost(const Outcome& outcome) const {
  if (outcome.shapes.empty()) return std::nullopt;
  double slowdown = kUnsupportedCost;
  double sum = 0.0;
  int counted = 0;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    // A shape that no kernel has been measured on yet does not distinguish candidates.
    if (std::isinf(best_ns_[s])) continue;
    const ShapeSamples* samples = samples_on(outcome, shapes_[s]);
    if (samples != nullptr && !samples->ns.empty()) {
      slowdown = median_ns(*samples) / best_ns_[s];
    }
    for (const Op op : ops_) {
      const auto auxiliary = auxiliary_.find(outcome.kernel, op, shapes_[s]);
      const double ns =
          auxiliary ? slowdown * best_ns_[s] + auxiliary->ns : kUnsupportedCost * best_ns_[s];
      sum += std::log(ns / flops(shapes_[s]));
      ++counted;
    }
  }
  return counted == 0 ? std::nullopt : std::optional(sum / counted);
}

bool CostModel::supports_any(const KernelId& kernel) const {
  return std::any_of(shapes_.begin(), shapes_.end(), [&](const GemmShape& shape) {
    return std::any_of(ops_.begin(), ops_.end(),
                       [&](Op op) { return auxiliary_.find(kernel, op, shape).has_value(); });
  });
}

double CostModel::total_ns(const Outcome& outcome, Op op, const GemmShape& shape) const {
  const ShapeSamples* samples = samples_on(outcome, shape);
  if (samples == nullptr || samples->ns.empty()) return kNone;
  const auto auxiliary = auxiliary_.find(outcome.kernel, op, shape);
  return auxiliary ? median_ns(*samples) + auxiliary->ns : kNone;
}

std::vector<double> CostModel::parts(const Outcome& outcome) const {
  std::vector<double> parts(shapes_.size(), kNone);
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    double sum = 0.0;
    for (const Op op : ops_) {
      sum += std::log(total_ns(outcome, op, shapes_[s]) / flops(shapes_[s]));
    }
    parts[s] = sum / static_cast<double>(ops_.size());
  }
  return parts;
}

void CostModel::learn(const Outcome& outcome) {
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const ShapeSamples* samples = samples_on(outcome, shapes_[s]);
    if (samples == nullptr || samples->ns.empty()) continue;
    best_ns_[s] = std::min(best_ns_[s], median_ns(*samples));
  }
}

}  // namespace tilewright
