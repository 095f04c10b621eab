#include "runtime/team/shape_curves.hpp"

#include <algorithm>
#include <utility>

namespace tilewright {
namespace {

constexpr std::int64_t kNumPoints = 8;
// Without any prediction; only the equality of all members matters.
constexpr double kUnknownFlops = 1e10;
// The other axis of C is considered if there are fewer granules than this along the lines.
constexpr std::int64_t kFewGranules = 16;
// k is considered if C has at most this many elements, and k at least this many steps.
constexpr std::size_t kMaxPartialSum = std::size_t{256} * 256;
constexpr std::size_t kMinStepsToSplit = 1024;
constexpr std::int64_t kStepGranule = 32;
constexpr double kSecondsPerAddedElement = 1e-9;
// Another axis must be faster by this factor, because its parts of C are copied.
constexpr double kPreferLines = 0.95;

double flops(const GemmCall& call) {
  return 2.0 * static_cast<double>(call.m) * static_cast<double>(call.n) *
         static_cast<double>(std::max<std::size_t>(1, call.k));
}

using Predictions = std::vector<std::optional<MemberPrediction>>;  // of each member

Predictions predict(const ShapeBasis& basis, const GemmCall& call) {
  Predictions all;
  for (const TeamMember* member : basis.members) {
    all.push_back(member->predict(call, basis.in_host_memory));
  }
  return all;
}

double mean_flops_per_second(const Predictions& predictions, const GemmCall& call) {
  double sum = 0.0;
  int known = 0;
  for (const auto& predicted : predictions) {
    if (!predicted || predicted->seconds <= 0.0) continue;
    sum += flops(call) / predicted->seconds;
    ++known;
  }
  return known == 0 ? kUnknownFlops : sum / known;
}

std::int64_t choose_granule(const Predictions& whole, SplitAxis axis, std::int64_t extent) {
  std::int64_t granule = axis == SplitAxis::kK ? kStepGranule : 1;
  for (const auto& predicted : whole) {
    if (!predicted || axis == SplitAxis::kK) continue;
    const std::size_t tile = axis == SplitAxis::kM ? predicted->tile_m : predicted->tile_n;
    granule = std::max(granule, static_cast<std::int64_t>(tile));
  }
  // Parts of unequal members need some choice.
  const auto members = static_cast<std::int64_t>(whole.size());
  while (granule > 1 && granule * 4 * members > extent) granule /= 2;
  return granule;
}

ShapeCurves curves_along(const ShapeBasis& basis, const GemmCall& call, const Predictions& whole,
                         SplitAxis axis) {
  ShapeCurves shape;
  shape.axis = axis;
  shape.extent = static_cast<std::int64_t>(axis_extent(call, axis));
  shape.granule = choose_granule(whole, axis, shape.extent);
  const double unknown_rate = mean_flops_per_second(whole, call);
  std::vector<std::vector<std::pair<std::int64_t, double>>> points(basis.members.size());
  for (std::int64_t i = 1; i <= kNumPoints; ++i) {
    const std::int64_t rounded =
        (shape.extent * i / kNumPoints + shape.granule - 1) / shape.granule * shape.granule;
    const std::int64_t part = i == kNumPoints ? shape.extent : std::min(rounded, shape.extent);
    if (part == 0 || (!points[0].empty() && points[0].back().first >= part)) continue;
    const GemmCall partial = part_call(call, {axis, 0, static_cast<std::size_t>(part)});
    const Predictions predicted = part == shape.extent ? whole : predict(basis, partial);
    for (std::size_t member = 0; member < points.size(); ++member) {
      const double seconds =
          predicted[member] ? predicted[member]->seconds : flops(partial) / unknown_rate;
      points[member].emplace_back(part, seconds);
    }
  }
  for (auto& of_member : points) shape.curves.emplace_back(std::move(of_member));
  return shape;
}

double predicted_finish(const ShapeCurves& shape, const ShapeBasis& basis, const GemmCall& call) {
  const std::vector<std::int64_t> parts =
      split_evenly_in_time(shape.curves, basis.scales, shape.extent, shape.granule);
  double seconds = finish_seconds(shape.curves, basis.scales, parts);
  if (shape.axis == SplitAxis::kK) {
    seconds += kSecondsPerAddedElement * static_cast<double>(call.m) * static_cast<double>(call.n);
  }
  return seconds;
}

bool may_split_k(const ShapeBasis& basis, const GemmCall& call) {
  return basis.in_host_memory && call.type != ElementType::kHalf && call.alpha != 0.0 &&
         call.m * call.n <= kMaxPartialSum && call.k >= kMinStepsToSplit;
}

}  // namespace

ShapeCurves plan_shape(const ShapeBasis& basis, const GemmCall& call) {
  const Predictions whole = predict(basis, call);
  const SplitAxis lines = line_axis(call);
  if (basis.axis) return curves_along(basis, call, whole, *basis.axis);
  ShapeCurves best = curves_along(basis, call, whole, lines);
  if (basis.members.size() < 2) return best;
  double best_seconds = predicted_finish(best, basis, call) * kPreferLines;
  const auto consider = [&](SplitAxis axis) {
    ShapeCurves other = curves_along(basis, call, whole, axis);
    const double seconds = predicted_finish(other, basis, call);
    if (seconds >= best_seconds) return;
    best = std::move(other);
    best_seconds = seconds;
  };
  if (best.extent < kFewGranules * best.granule) {
    consider(lines == SplitAxis::kM ? SplitAxis::kN : SplitAxis::kM);
  }
  if (may_split_k(basis, call)) consider(SplitAxis::kK);
  return best;
}

}  // namespace tilewright
