// Which point should be tried next?
//
// A strategy sees points and costs, nothing else: no device, no clock, no files. So it can be
// tested on made-up costs.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codelets/model/merit.hpp"
#include "codelets/space/space.hpp"
#include "tuner/search/neighbourhood.hpp"

namespace tilewright {

class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;
  // A point that was not proposed before, or nullopt when all have been.
  virtual std::optional<ParameterPoint> next() = 0;
  // The cost of a proposed point, less is better; nullopt: it failed. Of what this is the mean, a
  // profile may want a specialist for each: `parts` are its costs there, infinity where it has
  // none.
  virtual void report(const ParameterPoint& point, std::optional<double> cost,
                      const std::vector<double>& parts = {}) = 0;
};

// The ways to search a space.
enum class StrategyKind {
  kExhaustive,  // every point, in an order that a seed shuffles as far as that costs nothing
  kRandom,      // draws alone
  kGreedy,      // draws, then neighbours of the best (RandomThenGreedy)
  kIterated,  // iterated local search: from the best of a neighbourhood, kicked when it is used up
  kGuided,    // greedy, guided every other time by the points around
  kKnown,     // no search: the first points alone
};
// Those that search.
inline constexpr StrategyKind kStrategyKinds[] = {StrategyKind::kExhaustive, StrategyKind::kRandom,
                                                  StrategyKind::kGreedy, StrategyKind::kIterated,
                                                  StrategyKind::kGuided};
std::string_view to_text(StrategyKind);  // "exhaustive", "random" ...
std::optional<StrategyKind> parse_strategy(std::string_view);
std::string strategy_words();  // of all, with commas between

// The strategy where the user leaves the choice: every point, if that takes no more than 70 % of
// the budget (the rest is for finals), else the one that finds most.
StrategyKind choose_strategy(double valid_points, double seconds_per_candidate, double budget_s);

struct SearchSetup {
  StrategyKind kind = StrategyKind::kGreedy;
  DeviceInfo device = {};
  std::uint64_t seed = 1;
  // Proposed before all others, as far as they are in the space: starting points, warm start.
  std::vector<ParameterPoint> first = {};
  int shard = 1;   // only first points and those of this shard are proposed ...
  int shards = 1;  // ... of so many
};

// The space must outlive the strategy. What was tried in an earlier session is reported before the
// first proposal, and not proposed again. Reports of points that the space does not have are
// ignored; a point that has another multiply_add than the space searches is known as the space's.
std::unique_ptr<SearchStrategy> make_strategy(const Space& space, const SearchSetup& setup);

// The shard (1 .. shards) that a point belongs to: by its text, the same on every machine.
int shard_of(const ParameterPoint& point, int shards);

// The space's name for a point, which may have been tried with another multiply_add; nullopt: the
// space does not have it.
std::optional<ParameterPoint> as_searched(const Space& space, ParameterPoint point);

// The points of a space one by one, each once. Points come from the simplest on, 65536 at a time,
// and a seed shuffles those: a small space is shuffled whole, a large one is never listed.
class Enumeration {
 public:
  Enumeration(const Space& space, std::uint64_t seed) : space_(space), random_(seed) {}
  std::optional<ParameterPoint> next();

 private:
  void fill();

  const Space& space_;
  std::mt19937_64 random_;
  std::vector<ParameterPoint> chunk_;
  std::size_t at_ = 0;        // in chunk_
  std::int64_t visited_ = 0;  // points that chunks so far had
  bool complete_ = false;
};

// What strategies share: the first points, shards, what was tried, draws.
class SpaceSearch : public SearchStrategy {
 public:
  SpaceSearch(const Space& space, const SearchSetup& setup);

  std::optional<ParameterPoint> next() final;
  void report(const ParameterPoint& point, std::optional<double> cost,
              const std::vector<double>& parts = {}) final;

 protected:
  // A point that is_new(), or nullopt when there is none.
  virtual std::optional<ParameterPoint> propose() = 0;
  // What was reported of a point of the space. `resumed`: from an earlier session.
  struct Report {
    ParameterPoint point;
    std::optional<double> cost;
    std::vector<double> parts;
    bool resumed = false;
  };
  virtual void learn(const Report& report) = 0;

  const Space& space() const { return space_; }
  bool is_new(const ParameterPoint& point) const;
  // The new point of most expected_merit() among so many draws; where they find none the space is
  // small or nearly used up, and it is the next of an enumeration.
  std::optional<ParameterPoint> draw(int among);
  // One random draw; nullopt: it is not new.
  std::optional<ParameterPoint> new_draw();
  // New neighbours that are not hopeless, with their merits.
  std::vector<std::pair<ParameterPoint, double>> new_neighbours(const ParameterPoint& point) const;
  // The more promising of two of them; nullopt: there is none.
  std::optional<ParameterPoint> new_neighbour(const ParameterPoint& point);
  std::size_t random_index(std::size_t size);

 private:
  // The model expects so much less of it than of each of the best that compiling it is a waste.
  // Draws may still find it, since models are wrong now and then.
  bool is_hopeless(double merit) const;
  void note_merit(const ParameterPoint& point, double cost);

  const Space& space_;
  SearchSetup setup_;
  std::mt19937_64 random_;
  Enumeration rest_;
  std::size_t first_proposed_ = 0;  // of setup_.first
  std::set<ParameterPoint> first_;
  std::set<ParameterPoint> tried_;
  std::multimap<double, double> best_merits_;  // of the few best, by cost
};

// First `random_points` draws, then the neighbours of the best point that still has untried ones:
// every other time the best on the whole, else the best in one part of the cost, in turns. One
// proposal in sixteen is a draw, so that a poor hill is left. Of a draw's 64 points
// (every fourth time: 4) the most promising by expected_merit() is proposed. Neighbours that it
// expects far less of than of the best are left to draws. Deterministic for a seed.
//
// Guided, every other of the proposals that are no draws is the one with the least expected cost by
// the points around it, of neighbours of the best few and of some draws.
class RandomThenGreedy : public SpaceSearch {
 public:
  RandomThenGreedy(const Space& space, int random_points, const SearchSetup& setup)
      : SpaceSearch(space, setup),
        random_points_(random_points),
        guided_(setup.kind == StrategyKind::kGuided) {}

 protected:
  std::optional<ParameterPoint> propose() override;
  void learn(const Report& report) override;

 private:
  // Points that may have untried neighbours, by cost.
  using Open = std::multimap<double, ParameterPoint>;

  std::optional<ParameterPoint> greedy_neighbour(Open& open);
  Open& next_hill();
  std::optional<ParameterPoint> guided_point();

  int random_points_;
  bool guided_;
  Open open_;
  std::vector<Open> open_in_part_;
  Neighbourhood known_;
  double worst_ = -std::numeric_limits<double>::infinity();  // cost: what failed counts as that
  int climbs_ = 0;
  int proposals_ = 0;
  int draws_ = 0;  // of them
};

}  // namespace tilewright
