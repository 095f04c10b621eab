// Implements the search strategies.
#include <algorithm>
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
constexpr int kRandomEvery = 16;  // every 16th proposal of a greedy search is a draw
// A guided proposal is the best of up to kGuidedNeighbours neighbours of the kHills best points,
// and of kGuidedDraws random points.
constexpr int kHills = 5;
constexpr std::size_t kGuidedNeighbours = 16;
constexpr int kGuidedDraws = 8;
constexpr int kRandomPoints = 12;  // number of draws before the greedy search starts

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

// Random search: neither model nor memory. It is the baseline for the other strategies.
class Random : public SpaceSearch {
 public:
  using SpaceSearch::SpaceSearch;

 protected:
  std::optional<ParameterPoint> propose() override { return draw(1); }
  void learn(const Report&) override {}
};

// Proposes the first points, which are known to be good, and nothing else.
class KnownPoints : public SpaceSearch {
 public:
  using SpaceSearch::SpaceSearch;

 protected:
  std::optional<ParameterPoint> propose() override { return std::nullopt; }
  void learn(const Report&) override {}
};

// Iterated local search. Moves from a point to a better neighbour until there is none, then
// continues from a point a few random steps away from the best one of this local search. If several
// such restarts do not find a better point, it continues from a random draw.
class Iterated : public SpaceSearch {
 public:
  using SpaceSearch::SpaceSearch;

 protected:
  std::optional<ParameterPoint> propose() override;
  void learn(const Report& report) override;

 private:
  // A point with its cost.
  struct CostedPoint {
    ParameterPoint point;
    double cost;
  };

  bool descend();
  std::optional<ParameterPoint> kicked();

  std::map<ParameterPoint, std::optional<double>> costs_;
  std::optional<CostedPoint> here_;
  std::optional<CostedPoint> home_;  // the best point of the current local search
  // A restart or draw whose cost is awaited. The search continues from it even if it is worse.
  std::optional<ParameterPoint> awaited_;
  int starts_ = 0;  // number of initial points
  int draws_ = 0;
  int kicks_ = 0;  // restarts from home_ that found no better point
};

std::optional<ParameterPoint> Iterated::propose() {
  constexpr int kMaxMoves = 200;  // moves among points that are already known
  constexpr int kMaxKicks = 6;    // without an improvement, before the search restarts
  if (starts_++ < kRandomPoints) return draw(draws_to_choose_from(draws_++));
  for (int move = 0; here_ && move < kMaxMoves; ++move) {
    if (auto neighbour = new_neighbour(here_->point)) return neighbour;
    if (descend()) continue;
    if (!home_ || here_->cost < home_->cost) {
      home_ = here_;
      kicks_ = 0;
    }
    if (kicks_++ == kMaxKicks) break;
    awaited_ = kicked();
    if (awaited_) return awaited_;
  }
  here_.reset();
  home_.reset();
  kicks_ = 0;
  awaited_ = draw(draws_to_choose_from(draws_++));
  return awaited_;
}

// Moves to the best of the known better neighbours. Returns false if there is none.
bool Iterated::descend() {
  std::optional<CostedPoint> best = here_;
  for (const ParameterPoint& neighbour : space().neighbours(here_->point)) {
    const auto known = costs_.find(neighbour);
    if (known != costs_.end() && known->second && *known->second < best->cost) {
      best = {neighbour, *known->second};
    }
  }
  const bool better = best->cost < here_->cost;
  here_ = best;
  return better;
}

// Returns a new point a few random steps from home_. Returns nullopt if it has moved to a known
// point instead.
std::optional<ParameterPoint> Iterated::kicked() {
  constexpr int kSteps = 3;  // random steps of one kick
  constexpr int kTries = 8;  // attempts to find a point that has not failed
  for (int i = 0; i < kTries; ++i) {
    ParameterPoint point = home_->point;
    for (int step = 0; step < kSteps; ++step) {
      std::vector<ParameterPoint> steps = space().neighbours(point);
      if (!steps.empty()) point = std::move(steps[random_index(steps.size())]);
    }
    if (is_new(point)) return point;
    const auto known = costs_.find(point);
    if (known == costs_.end() || !known->second) continue;
    here_ = {std::move(point), *known->second};
    break;
  }
  return std::nullopt;
}

void Iterated::learn(const Report& report) {
  const auto& [point, cost, parts, resumed] = report;
  if (resumed) ++starts_;
  costs_[point] = cost;
  const bool expected = awaited_ == point;
  if (expected) awaited_.reset();
  if (cost && (expected || !here_ || *cost < here_->cost)) here_ = {point, *cost};
}

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
  if (!random_turn && guided_ && proposals_ % 2 == 0) point = guided_point();
  if (!random_turn && !point) {
    point = greedy_neighbour(next_hill());
    if (!point) point = greedy_neighbour(open_);
  }
  return point ? point : draw(draws_to_choose_from(draws_++));
}

void RandomThenGreedy::learn(const Report& report) {
  if (report.resumed) ++proposals_;
  if (report.cost) worst_ = std::max(worst_, *report.cost);
  if (guided_ && std::isfinite(worst_)) {
    known_.learn(normalized_point(report.point), report.cost.value_or(worst_));
  }
  if (report.cost) open_.emplace(*report.cost, report.point);
  if (open_in_part_.size() < report.parts.size()) open_in_part_.resize(report.parts.size());
  for (std::size_t i = 0; i < report.parts.size(); ++i) {
    if (std::isfinite(report.parts[i])) open_in_part_[i].emplace(report.parts[i], report.point);
  }
}

// Returns the point with the lowest expected cost among new neighbours of the few best points and
// some draws.
std::optional<ParameterPoint> RandomThenGreedy::guided_point() {
  std::vector<ParameterPoint> candidates;
  int hills = 0;
  for (auto hill = open_.begin(); hill != open_.end() && hills < kHills; ++hill, ++hills) {
    for (auto& [neighbour, score] : new_neighbours(hill->second)) {
      candidates.push_back(std::move(neighbour));
    }
  }
  while (candidates.size() > kGuidedNeighbours) {
    std::swap(candidates[random_index(candidates.size())], candidates.back());
    candidates.pop_back();
  }
  for (int i = 0; i < kGuidedDraws; ++i) {
    if (auto drawn = new_draw()) candidates.push_back(std::move(*drawn));
  }
  std::optional<ParameterPoint> best;
  double least = 0.0;
  for (ParameterPoint& candidate : candidates) {
    const double cost = known_.expected_cost(normalized_point(candidate));
    if (best && cost >= least) continue;
    best = std::move(candidate);
    least = cost;
  }
  return best;
}

std::unique_ptr<SearchStrategy> make_strategy(const Space& space, const SearchSetup& setup) {
  switch (setup.kind) {
    case StrategyKind::kExhaustive:
      return std::make_unique<Exhaustive>(space, setup);
    case StrategyKind::kRandom:
      return std::make_unique<Random>(space, setup);
    case StrategyKind::kIterated:
      return std::make_unique<Iterated>(space, setup);
    case StrategyKind::kKnown:
      return std::make_unique<KnownPoints>(space, setup);
    case StrategyKind::kGreedy:
    case StrategyKind::kGuided:
      break;
  }
  return std::make_unique<RandomThenGreedy>(space, kRandomPoints, setup);
}

}  // namespace tilewright
