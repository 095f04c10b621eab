// In which order, how often and how long is each of several things measured?
//
// One sample each a round, in random order: drift of the machine meets all alike.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace tilewright {

// Makes so many calls, one after the other, and answers their wall time in seconds.
using Calls = std::function<double(int calls)>;

// A clock, in seconds.
using Now = std::function<double()>;
double steady_now_s();

struct Rounds {
  int least = 9;
  int most = std::numeric_limits<int>::max();
  double seconds = 0.0;               // so long there are more than the least,
  std::function<bool()> enough = {};  // or, where this is given, until it says so
};

// Whose turn is it? Once a round each of 0 to count - 1 that has not left, in random order. All
// rounds of the program are these.
class Turns {
 public:
  // `random` must outlive it.
  Turns(std::size_t count, const Rounds& rounds, std::mt19937_64& random, Now now_s = steady_now_s);

  std::optional<std::size_t> next();  // nullopt: it is over
  void leave();                       // whose turn it was

 private:
  bool is_over() const;

  Rounds rounds_;
  std::mt19937_64& random_;
  Now now_s_;
  double begin_s_;
  int begun_ = 0;                   // rounds
  std::vector<std::size_t> order_;  // of this round
  std::size_t at_;                  // in it: whose turn is next
};

// At least nine rounds, and more until the seconds are over. A sample is as many calls as take 2
// ms, by a call before all rounds. One that takes less than 1 ms is taken again with more calls.
// Returns seconds of one call, per competitor and round.
std::vector<std::vector<double>> take_turns(const std::vector<Calls>& competitors, double seconds,
                                            std::mt19937_64& random,
                                            const Now& now_s = steady_now_s);

// The same calls, each sample after a call that does not count: for a device that changes hands
// between competitors.
Calls after_one_call(Calls calls);

}  // namespace tilewright
