#include "tuner/search.hpp"

#include <algorithm>
#include <vector>

namespace tilewright {
namespace {

constexpr int kDrawsToChooseFrom = 8;
constexpr int kRandomEvery = 8;

}  // namespace

RandomThenGreedy::RandomThenGreedy(const Space& space, int random_points, const DeviceHints& hints,
                                   std::uint64_t seed)
    : space_(space), random_points_(random_points), hints_(hints), random_(seed) {}

std::size_t RandomThenGreedy::random_index(std::size_t size) {
  // Not a std distribution: those differ between standard libraries, and a seed must mean one
  // search.
  return static_cast<std::size_t>(random_() % size);
}

std::optional<ParameterPoint> RandomThenGreedy::draw() {
  const std::vector<ParameterPoint>& points = space_.points();
  if (tried_.size() >= points.size()) return std::nullopt;
  const int draws = proposals_ % 2 == 0 ? kDrawsToChooseFrom : 1;
  std::optional<ParameterPoint> best;
  for (int i = 0; i < draws; ++i) {
    std::size_t at = random_index(points.size());
    while (tried_.count(points[at]) != 0) at = (at + 1) % points.size();
    if (!best || expected_merit(points[at], hints_) > expected_merit(*best, hints_)) {
      best = points[at];
    }
  }
  return best;
}

std::optional<ParameterPoint> RandomThenGreedy::untried_neighbour() {
  while (!open_.empty()) {
    const ParameterPoint& best = open_.begin()->second;
    std::vector<ParameterPoint> untried;
    for (const ParameterPoint& neighbour : space_.neighbours(best)) {
      if (tried_.count(neighbour) == 0) untried.push_back(neighbour);
    }
    if (!untried.empty()) {
      const ParameterPoint& one = untried[random_index(untried.size())];
      const ParameterPoint& other = untried[random_index(untried.size())];
      return expected_merit(one, hints_) > expected_merit(other, hints_) ? one : other;
    }
    open_.erase(open_.begin());
  }
  return std::nullopt;
}

std::optional<ParameterPoint> RandomThenGreedy::next() {
  std::optional<ParameterPoint> point;
  const bool random_turn = proposals_ < random_points_ || proposals_ % kRandomEvery == 0;
  if (!random_turn) point = untried_neighbour();
  if (!point) point = draw();
  if (!point) return std::nullopt;
  ++proposals_;
  tried_.insert(*point);
  return point;
}

void RandomThenGreedy::report(const ParameterPoint& point, std::optional<double> cost) {
  tried_.insert(point);
  if (cost) open_.emplace(*cost, point);
}

}  // namespace tilewright
