#include "tuner/search.hpp"

#include <vector>

namespace tilewright {
namespace {

// A space of 10^12 points has few good ones: the model looks through many, and every few draws
// through few, lest it be wrong.
constexpr int kDrawsToChooseFrom = 64;
constexpr int kDrawsOtherwise = 4;
constexpr int kOtherwiseEvery = 4;
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
  const bool otherwise = draws_++ % kOtherwiseEvery == kOtherwiseEvery - 1;
  const int draws = otherwise ? kDrawsOtherwise : kDrawsToChooseFrom;
  std::optional<ParameterPoint> best;
  double best_merit = 0.0;
  for (int i = 0; i < draws; ++i) {
    std::optional<ParameterPoint> point = space_.draw(random_);
    if (!point || tried_.count(*point) != 0) continue;
    const double merit = expected_merit(*point, hints_);
    if (best && merit <= best_merit) continue;
    best = std::move(point);
    best_merit = merit;
  }
  return best ? best : first_untried();
}

// Where draws find nothing new the space is small, or nearly used up.
std::optional<ParameterPoint> RandomThenGreedy::first_untried() const {
  std::optional<ParameterPoint> first;
  space_.for_each([&](const ParameterPoint& point) {
    if (tried_.count(point) == 0) first = point;
    return !first;
  });
  return first;
}

std::optional<ParameterPoint> RandomThenGreedy::untried_neighbour() {
  while (!open_.empty()) {
    const ParameterPoint& best = open_.begin()->second;
    std::vector<ParameterPoint> untried;
    for (ParameterPoint& neighbour : space_.neighbours(best)) {
      if (tried_.count(neighbour) == 0) untried.push_back(std::move(neighbour));
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
