// Interleaves the measurement of several things in rounds of random order.
//
// Each round takes one sample of everything, so that slow drift of the machine affects all alike.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace tilewright {

// Makes `calls` calls, one after the other, and returns their total wall time in seconds.
using Calls = std::function<double(int calls)>;

// Returns the current time in seconds.
using Now = std::function<double()>;
// Reads std::chrono::steady_clock.
double steady_now_s();
// Returns the wall time since then.
double ns_since(std::chrono::steady_clock::time_point start);

// When the rounds end.
struct Rounds {
  int min = 9;                                // minimum number of rounds
  int max = std::numeric_limits<int>::max();  // maximum number of rounds
  // After the minimum, rounds continue until this much time has passed since the first one,
  double seconds = 0.0;
  // or, if this function is given, until it returns true.
  std::function<bool()> enough = {};
};

// Calls `sample` with every index below `count` in each round, in random order. A participant whose
// sample returns false has no further turns; without participants the rounds end.
void take_turns(std::size_t count, const Rounds& rounds, std::mt19937_64& random,
                const std::function<bool(std::size_t)>& sample, const Now& now_s = steady_now_s);

// Measures competitors in rounds: at least nine, and more until `seconds` have passed. A sample
// consists of as many calls as take about 2 ms, estimated by one call before the first round. A
// sample of less than 1 ms is repeated with more calls. Returns the time of one call in seconds,
// per competitor and round.
std::vector<std::vector<double>> time_in_turns(const std::vector<Calls>& competitors,
                                               double seconds, std::mt19937_64& random,
                                               const Now& now_s = steady_now_s);

}  // namespace tilewright
