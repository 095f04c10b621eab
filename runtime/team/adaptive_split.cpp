#include "runtime/team/adaptive_split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tilewright {
namespace {

// Time to start a member in addition to the first one, and to wait for it.
constexpr double kJoinSeconds = 50e-6;
constexpr double kTeamMargin = 0.95;
constexpr double kWorthSplittingAgain = 0.95;
constexpr double kLaterWeight = 0.25;
constexpr double kMaxStep = 2.0;
constexpr std::size_t kMaxRestarts = 4;

std::size_t num_active(const std::vector<std::int64_t>& parts) {
  return static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [](std::int64_t part) { return part > 0; }));
}

std::vector<std::int64_t> split(const ShapeCurves& shape, const std::vector<double>& scales) {
  return split_evenly_in_time(shape.curves, scales, shape.extent, shape.granule);
}

double seconds_of_split(const ShapeCurves& shape, const std::vector<double>& scales,
                        const std::vector<std::int64_t>& parts) {
  const std::size_t active = num_active(parts);
  // One active member is the same as that member alone.
  if (active < 2) return std::numeric_limits<double>::max();
  return finish_seconds(shape.curves, scales, parts) +
         kJoinSeconds * static_cast<double>(active - 1);
}

std::vector<double> expected_seconds(const ShapeCurves& shape, const std::vector<double>& scales) {
  std::vector<double> expected{seconds_of_split(shape, scales, split(shape, scales))};
  for (std::size_t i = 0; i < shape.curves.size(); ++i) {
    expected.push_back(scales[i] * shape.curves[i].seconds(shape.extent));
  }
  return expected;
}

}  // namespace

AdaptiveSplit::AdaptiveSplit(ShapeCurves shape, std::vector<double> scales)
    : shape_(std::move(shape)),
      scales_(std::move(scales)),
      parts_(split(shape_, scales_)),
      choice_(expected_seconds(shape_, scales_)) {}

double AdaptiveSplit::together_seconds() const {
  return seconds_of_split(shape_, scales_, parts_);
}

Division AdaptiveSplit::division(std::size_t way) const {
  if (way == 0) return {0, shape_.axis, parts_};
  Division alone{way, shape_.axis, std::vector<std::int64_t>(parts_.size(), 0)};
  alone.parts[way - 1] = shape_.extent;
  return alone;
}

Division AdaptiveSplit::best_predicted() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < scales_.size(); ++i) {
    if (alone_seconds(i) < alone_seconds(best)) best = i;
  }
  return division(together_seconds() < kTeamMargin * alone_seconds(best) ? 0 : 1 + best);
}

Division AdaptiveSplit::next() const {
  return division(choice_.next());
}

void AdaptiveSplit::record(const Division& division, const std::vector<double>& seconds,
                           double total) {
  choice_.record(division.way, total);
  if (division.way != 0 || division.parts != parts_) return;
  if (std::exchange(is_new_split_, false)) return;
  learn_scales(division, seconds);
  update_split();
}

void AdaptiveSplit::learn_scales(const Division& division, const std::vector<double>& seconds) {
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    const double predicted = predicted_seconds(i, division.parts[i]);
    if (division.parts[i] == 0 || predicted <= 0.0 || seconds[i] <= 0.0) continue;
    const double ratio = seconds[i] / predicted;
    scales_[i] *= num_learned_ == 0
                      ? ratio
                      : std::pow(std::clamp(ratio, 1.0 / kMaxStep, kMaxStep), kLaterWeight);
  }
  ++num_learned_;
}

void AdaptiveSplit::update_split() {
  std::vector<std::int64_t> parts = split(shape_, scales_);
  const double before = together_seconds();
  if (seconds_of_split(shape_, scales_, parts) < kWorthSplittingAgain * before) {
    parts_ = std::move(parts);
    is_new_split_ = true;
    if (num_restarts_++ < kMaxRestarts) choice_.restart(0);
  }
  choice_.expect(0, together_seconds());
  for (std::size_t i = 0; i < scales_.size(); ++i) choice_.expect(1 + i, alone_seconds(i));
}

}  // namespace tilewright
