// Interleaves the measurement of several things in rounds of random order.
//
// Each round takes one sample of everything, so that slow drift of the machine affects all alike.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace tilewright {

// Makes `calls` calls, one after the other, and returns their total wall time in seconds.
using Calls = std::function<double(int calls)>;

// Returns the current time in seconds.
using Now = std::function<double()>;
// Reads std::chrono::steady_clock.
double steady_now_s();

// When the rounds end.
struct Rounds {
  int min = 9;                                // minimum number of rounds
  int max = std::numeric_limits<int>::max();  // maximum number of rounds
  // After the minimum, rounds continue until this much time has passed since the first one,
  double seconds = 0.0;
  // or, if this function is given, until it returns true.
  std::function<bool()> enough = {};
};

// Determines whose turn it is. In each round, every index from 0 to count - 1 that has not left
// gets one turn, in random order. Not thread-safe.
class Turns {
 public:
  // `random` must outlive this object.
  Turns(std::size_t count, const Rounds& rounds, std::mt19937_64& random, Now now_s = steady_now_s);

  // Returns the index of the next participant; nullopt when all rounds are over.
  std::optional<std::size_t> next();
  // Removes the participant whose turn it was from this and all later rounds.
  void leave();

 private:
  bool is_over() const;

  Rounds rounds_;
  std::mt19937_64& random_;
  Now now_s_;
  double start_s_;
  int begun_ = 0;                   // rounds started so far
  std::vector<std::size_t> order_;  // order of this round
  std::size_t at_;                  // position in order_ of the next turn
};

// Measures competitors in rounds: at least nine, and more until `seconds` have passed. A sample
// consists of as many calls as take about 2 ms, estimated by one call before the first round. A
// sample of less than 1 ms is repeated with more calls. Returns the time of one call in seconds,
// per competitor and round.
std::vector<std::vector<double>> take_turns(const std::vector<Calls>& competitors, double seconds,
                                            std::mt19937_64& random,
                                            const Now& now_s = steady_now_s);

}  // namespace tilewright
