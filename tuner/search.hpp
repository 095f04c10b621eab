// Which point should be tried next?
//
// A strategy sees points and costs, nothing else: no device, no clock, no files. So it can be
// tested on made-up costs, and later be replayed on recorded ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "codelets/merit.hpp"
#include "codelets/space.hpp"

namespace tilewright {

class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;
  // A point that was not proposed before, or nullopt when all have been.
  virtual std::optional<ParameterPoint> next() = 0;
  // The cost of a proposed point, less is better; nullopt: it failed.
  virtual void report(const ParameterPoint& point, std::optional<double> cost) = 0;
};

// First `random_points` draws, then the neighbours of the best point that still has untried ones,
// with one draw in every eight proposals so that a poor hill is left. Of a draw's 64 points (every
// fourth time: 4) the most promising by expected_merit() is proposed: models order candidates, they
// exclude none. Deterministic for a seed.
class RandomThenGreedy : public SearchStrategy {
 public:
  RandomThenGreedy(const Space& space, int random_points, const DeviceHints& hints,
                   std::uint64_t seed);

  std::optional<ParameterPoint> next() override;
  void report(const ParameterPoint& point, std::optional<double> cost) override;

 private:
  std::optional<ParameterPoint> draw();
  std::optional<ParameterPoint> first_untried() const;
  std::optional<ParameterPoint> untried_neighbour();
  std::size_t random_index(std::size_t size);

  const Space& space_;
  int random_points_;
  DeviceHints hints_;
  std::mt19937_64 random_;
  std::set<ParameterPoint> tried_;
  std::multimap<double, ParameterPoint> open_;  // by cost: points that may have untried neighbours
  int proposals_ = 0;
  int draws_ = 0;  // of them
};

}  // namespace tilewright
