// Proposes the points of a space to try next.
//
// A strategy sees only points and costs, but no device, clock or file, so it can be tested with
// artificial costs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "codelets/model/score.hpp"
#include "codelets/space/space.hpp"
#include "profiles/profile.hpp"

namespace tilewright {

// Proposes points and learns from their costs.
class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;
  // Returns a point that was not proposed before; nullopt when all points have been proposed.
  virtual std::optional<ParameterPoint> next() = 0;
  // Reports the cost of a proposed point (smaller is better); nullopt if it failed. `parts` are the
  // costs whose mean `cost` is, one per shape, since a profile may contain a specialist for each of
  // them; infinity if the point has no cost there.
  virtual void report(const ParameterPoint& point, std::optional<double> cost,
                      const std::vector<double>& parts = {}) = 0;
};

// The search strategies.
enum class StrategyKind {
  kExhaustive,  // every point, in an order that is random where that is cheap
  kGreedy,      // random draws, then neighbours of the best points (RandomThenGreedy)
  kKnown,       // no search; only the first points
};

// Returns the default strategy: exhaustive if trying every point takes at most 70 % of the budget
// (the rest is for the finals), otherwise greedy. Times are in seconds.
StrategyKind choose_strategy(double valid_points, double seconds_per_candidate, double budget_s);

// Parameters of a search.
struct SearchSetup {
  StrategyKind kind = StrategyKind::kGreedy;
  DeviceInfo device = {};
  std::uint64_t seed = 1;
  // Proposed before all other points if they are in the space: starting points and the warm start.
  std::vector<ParameterPoint> first = {};
  // Shard of this machine, from 1 to `shards`; only the points in `first` and the points of this
  // shard are proposed.
  int shard = 1;
  int shards = 1;  // number of shards
  // Points are proposed with the device's best form of multiply-adds; nullopt: with that of the
  // space.
  std::optional<DeviceRates> rates = {};
};

// Creates a strategy. The space must outlive it. Points that were tried in an earlier session are
// reported before the first proposal, and are not proposed again. Reports of points outside the
// space are ignored. If a point differs from a point of the space only in multiply_add, it counts
// as that point.
std::unique_ptr<SearchStrategy> make_strategy(const Space& space, const SearchSetup& setup);

// Returns the shard (1 to `shards`) of a point. It is computed from the point's text, so it is the
// same on every machine. Throws std::invalid_argument if there are no shards.
int point_shard(const ParameterPoint& point, int shards);

// Returns the point of the space that equals `point` except for multiply_add; nullopt if there is
// none.
std::optional<ParameterPoint> as_searched(const Space& space, ParameterPoint point);

// Enumerates the points of a space, each once. It takes 65536 points at a time, from the simplest
// on, and shuffles these with a seed. A small space is thus shuffled completely, and a large one is
// never listed as a whole.
class Enumeration {
 public:
  Enumeration(const Space& space, std::uint64_t seed) : space_(space), random_(seed) {}
  // Returns the next point; nullopt at the end.
  std::optional<ParameterPoint> next();

 private:
  void fill();

  const Space& space_;
  std::mt19937_64 random_;
  std::vector<ParameterPoint> chunk_;
  std::size_t at_ = 0;        // in chunk_
  std::int64_t visited_ = 0;  // number of points in all chunks so far
  bool complete_ = false;
};

// Base of the strategies: handles the first points, shards, tried points and random draws.
class SpaceSearch : public SearchStrategy {
 public:
  SpaceSearch(const Space& space, const SearchSetup& setup);

  std::optional<ParameterPoint> next() final;
  void report(const ParameterPoint& point, std::optional<double> cost,
              const std::vector<double>& parts = {}) final;

 protected:
  // Returns a point for which is_new() holds; nullopt if there is none.
  virtual std::optional<ParameterPoint> propose() = 0;
  // What was reported about a point of the space.
  struct Report {
    ParameterPoint point;
    std::optional<double> cost;
    std::vector<double> parts;
    bool resumed = false;  // from an earlier session
  };
  // Called for each report.
  virtual void learn(const Report& report) = 0;

  // Returns true if the point was not tried and belongs to this shard.
  bool is_new(const ParameterPoint& point) const;
  // Draws `among` random points and returns the new one with the highest expected_score(). If none
  // is new, the space is small or nearly exhausted, and the next new point of an enumeration is
  // returned.
  std::optional<ParameterPoint> draw(int among);
  // Returns the more promising of two random new neighbours; nullopt if there is none.
  std::optional<ParameterPoint> new_neighbour(const ParameterPoint& point);

 private:
  // Returns true if the expected score is so much lower than that of each of the best points that
  // the candidate is not worth compiling. Random draws may still propose such points, because the
  // model is sometimes wrong.
  bool is_hopeless(double score) const;
  // Returns a random index below `size`.
  std::size_t random_index(std::size_t size);
  void note_score(const ParameterPoint& point, double cost);

  const Space& space_;
  SearchSetup setup_;
  std::mt19937_64 random_;
  Enumeration rest_;
  std::size_t first_proposed_ = 0;  // index into setup_.first
  std::set<ParameterPoint> first_;
  std::set<ParameterPoint> tried_;
  // The expected scores (values) of the kBest points with the lowest costs (keys).
  std::multimap<double, double> best_scores_;
};

// Proposes `random_points` random draws, and then neighbours of the best points.
//
// A neighbour belongs to the best point that still has untried neighbours. Every other time this is
// the point with the lowest cost, otherwise the point with the lowest cost on one shape, for each
// shape in turn. One proposal in sixteen is a random draw, so that the search can leave a poor
// local optimum. A draw samples 64 points (every fourth time only 4) and keeps the one with the
// highest expected_score(). Neighbours that are expected to be much worse than the best points are
// left to the draws. The sequence depends only on the seed and the reports.
class RandomThenGreedy : public SpaceSearch {
 public:
  RandomThenGreedy(const Space& space, int random_points, const SearchSetup& setup)
      : SpaceSearch(space, setup), random_points_(random_points) {}

 protected:
  std::optional<ParameterPoint> propose() override;
  void learn(const Report& report) override;

 private:
  // Points that may have untried neighbours, by cost.
  using Open = std::multimap<double, ParameterPoint>;

  std::optional<ParameterPoint> greedy_neighbour(Open& open);
  Open& next_hill();

  int random_points_;
  Open open_;
  std::vector<Open> open_in_part_;
  int climbs_ = 0;
  int proposals_ = 0;
  int draws_ = 0;  // number of random draws among the proposals
};

}  // namespace tilewright
