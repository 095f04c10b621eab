// Implements the search strategies.
#include <cmath>
#include <vector>

#include "tuner/search/search.hpp"

namespace tilewright {
namespace {

// A space of 10^12 points contains few good ones, so a draw usually chooses the best of
// kDrawsToChooseFrom random points according to the model. Every fourth draw (kOtherwiseEvery)
// chooses among only kDrawsOtherwise points, in case the model is wrong.
constexpr int kDrawsToChooseFrom = 64;
constexpr int kDrawsOtherwise = 4;
constexpr int kOtherwiseEvery = 4;
constexpr int kRandomEvery = 16;        // every 16th proposal of a greedy search is a draw
constexpr int kDrawsBeforeGreedy = 12;  // number of draws before the greedy search starts

int draws_to_choose_from(int draw) {
  return draw % kOtherwiseEvery == kOtherwiseEvery - 1 ? kDrawsOtherwise : kDrawsToChooseFrom;
}

class Exhaustive : public SpaceSearch {
 public:
  Exhaustive(const Space& space, const SearchSetup& setup)
      : SpaceSearch(space, setup), all_(space, setup.seed) {}

 protected:
  std::optional<ParameterPoint> propose() override {
    while (auto point = all_.next()) {
      if (is_new(*point)) return point;
    }
    return std::nullopt;
  }
  void learn(const Report&) override {}

 private:
  Enumeration all_;
};

// Proposes the first points, which are known to be good, and nothing else.
class KnownPoints : public SpaceSearch {
 public:
  using SpaceSearch::SpaceSearch;

 protected:
  std::optional<ParameterPoint> propose() override { return std::nullopt; }
  void learn(const Report&) override {}
};

}  // namespace

std::optional<ParameterPoint> RandomThenGreedy::greedy_neighbour(Open& open) {
  while (!open.empty()) {
    if (auto neighbour = new_neighbour(open.begin()->second)) return neighbour;
    open.erase(open.begin());
  }
  return std::nullopt;
}

RandomThenGreedy::Open& RandomThenGreedy::next_hill() {
  const int climb = climbs_++;
  if (climb % 2 == 0 || open_in_part_.size() < 2) return open_;
  return open_in_part_[static_cast<std::size_t>(climb / 2) % open_in_part_.size()];
}

std::optional<ParameterPoint> RandomThenGreedy::propose() {
  const bool random_turn = proposals_ < random_points_ || proposals_ % kRandomEvery == 0;
  ++proposals_;
  std::optional<ParameterPoint> point;
  if (!random_turn) {
    point = greedy_neighbour(next_hill());
    if (!point) point = greedy_neighbour(open_);
  }
  return point ? point : draw(draws_to_choose_from(draws_++));
}

void RandomThenGreedy::learn(const Report& report) {
  if (report.resumed) ++proposals_;
  if (report.cost) open_.emplace(*report.cost, report.point);
  if (open_in_part_.size() < report.parts.size()) open_in_part_.resize(report.parts.size());
  for (std::size_t i = 0; i < report.parts.size(); ++i) {
    if (std::isfinite(report.parts[i])) open_in_part_[i].emplace(report.parts[i], report.point);
  }
}

std::unique_ptr<SearchStrategy> make_strategy(const Space& space, const SearchSetup& setup) {
  switch (setup.kind) {
    case StrategyKind::kExhaustive:
      return std::make_unique<Exhaustive>(space, setup);
    case StrategyKind::kKnown:
      return std::make_unique<KnownPoints>(space, setup);
    case StrategyKind::kGreedy:
      break;
  }
  return std::make_unique<RandomThenGreedy>(space, kDrawsBeforeGreedy, setup);
}

}  // namespace tilewright
