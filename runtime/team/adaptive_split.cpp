#include "runtime/team/adaptive_split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tilewright {
namespace {

// Time to start a member in addition to the first one, and to wait for it.
constexpr double kJoinSeconds = 50e-6;
// Few measurements of a way differ by a few percent, so several members are used only if they take
// less than this part of the time of the best one alone.
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

}  // namespace

AdaptiveSplit::AdaptiveSplit(ShapeCurves shape, std::vector<double> scales,
                             std::vector<double> alone_ratios, double overhead)
    : shape_(std::move(shape)),
      scales_(std::move(scales)),
      alone_ratios_(alone_ratios.empty() ? std::vector<double>(scales_.size(), 1.0)
                                         : std::move(alone_ratios)),
      overhead_(overhead),
      parts_(split(shape_, scales_)),
      choice_(expected_seconds()) {}

std::vector<double> AdaptiveSplit::expected_seconds() const {
  std::vector<double> expected{together_seconds(parts_) / kTeamMargin};
  for (std::size_t i = 0; i < scales_.size(); ++i) expected.push_back(alone_seconds(i));
  return expected;
}

double AdaptiveSplit::together_seconds(const std::vector<std::int64_t>& parts) const {
  const std::size_t active = num_active(parts);
  // One active member is the same as that member alone.
  if (active < 2) return std::numeric_limits<double>::max();
  return finish_seconds(shape_.curves, scales_, parts) +
         std::max(overhead_, kJoinSeconds * static_cast<double>(active - 1));
}

Division AdaptiveSplit::division(const Choice& choice) const {
  if (choice.way == 0) return {choice, shape_.axis, parts_};
  Division alone{choice, shape_.axis, std::vector<std::int64_t>(parts_.size(), 0)};
  alone.parts[choice.way - 1] = shape_.extent;
  return alone;
}

Division AdaptiveSplit::best_predicted() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < scales_.size(); ++i) {
    if (alone_seconds(i) < alone_seconds(best)) best = i;
  }
  return division({together_seconds(parts_) < kTeamMargin * alone_seconds(best) ? 0 : 1 + best});
}

bool AdaptiveSplit::record(const Division& division, const std::vector<double>& seconds,
                           double total) {
  const Choice& choice = division.choice;
  const bool is_together = choice.way == 0;
  if (is_together && division.parts != parts_) return false;  // another call has changed the split
  const double comparable = is_together ? total / kTeamMargin : total;
  if (seconds.empty()) {
    choice_.record_failure(choice, comparable);
    return false;
  }
  if (!choice_.record(choice, comparable) || !is_together) return false;
  learn_scales(division, seconds);
  update_split();
  return !choice.is_retry;
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
  const double before = together_seconds(parts_);
  if (together_seconds(parts) < kWorthSplittingAgain * before) {
    parts_ = std::move(parts);
    choice_.warm_up(0);
    if (num_restarts_++ < kMaxRestarts) choice_.restart(0);
  }
  const std::vector<double> expected = expected_seconds();
  for (std::size_t way = 0; way < expected.size(); ++way) choice_.expect(way, expected[way]);
}

}  // namespace tilewright
