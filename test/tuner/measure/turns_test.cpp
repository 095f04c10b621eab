#include "tuner/measure/turns.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "catch.hpp"

namespace tilewright {
namespace {

// Competitors with a fixed time per call. Records which competitor was called how often.
struct Log {
  std::vector<std::pair<int, int>> calls;  // competitor, number

  Calls competitor(int number, double seconds) {
    return [this, number, seconds](int count) {
      calls.emplace_back(number, count);
      return seconds * count;
    };
  }
};

TEST_CASE("competitors take turns in nine rounds, with samples of 2 ms") {
  Log log;
  std::mt19937_64 random(1);
  const auto samples = time_in_turns(
      {log.competitor(0, 0.5e-3), log.competitor(1, 1.0), log.competitor(2, 0.3e-3)}, 0.0, random);
  REQUIRE(samples.size() == 3);
  for (const auto& of_one : samples) CHECK(of_one.size() == 9);
  CHECK(samples[0].back() == Approx(0.5e-3));
  CHECK(samples[1].back() == Approx(1.0));
  REQUIRE(log.calls.size() == 3 + 27);
  std::set<std::vector<int>> orders;
  for (std::size_t at = 3; at < log.calls.size(); at += 3) {
    std::vector<int> order;
    for (std::size_t i = at; i < at + 3; ++i) {
      const auto [competitor, count] = log.calls[i];
      order.push_back(competitor);
      CHECK(count == (competitor == 0 ? 4 : competitor == 1 ? 1 : 7));
    }
    CHECK(std::set<int>(order.begin(), order.end()).size() == 3);
    orders.insert(order);
  }
  CHECK(orders.size() > 1);
}

TEST_CASE("a sample takes at least a millisecond, however slow the call before the rounds was") {
  bool is_first = true;
  std::vector<double> taken_s;
  const Calls competitor = [&](int count) {
    if (std::exchange(is_first, false)) return 5e-3;
    taken_s.push_back(1e-5 * count);
    return taken_s.back();
  };
  std::mt19937_64 random(1);
  const auto samples = time_in_turns({competitor}, 0.0, random)[0];
  CHECK(samples.size() == 9);
  CHECK(samples.front() == Approx(1e-5));
  REQUIRE(taken_s.size() == 10);  // the first one was too short
  CHECK(*std::min_element(taken_s.begin() + 1, taken_s.end()) >= 1e-3);
}

TEST_CASE("the number of rounds grows with the time") {
  double now_s = 100.0;
  const Calls of_half_a_second = [&](int count) {
    now_s += 0.5 * count;
    return 0.5 * count;
  };
  std::mt19937_64 random(1);
  const auto rounds = [&](double seconds) {
    return time_in_turns({of_half_a_second}, seconds, random, [&] { return now_s; })[0].size();
  };
  CHECK(rounds(6.0) == 12);
  CHECK(rounds(3600.0) == 7200);
}

// Returns the number of turns of each participant. Number 1 leaves in its second turn, the others
// leave in their hundredth.
std::vector<int> turns_taken(std::size_t count, const Rounds& rounds) {
  std::mt19937_64 random(1);
  std::vector<int> taken(count);
  take_turns(count, rounds, random,
             [&](std::size_t i) { return ++taken.at(i) != (i == 1 ? 2 : 100); });
  return taken;
}

TEST_CASE(
    "a participant that leaves has no further turns, and without participants the rounds end") {
  CHECK(turns_taken(3, {.min = 5}) == std::vector<int>{5, 2, 5});
  CHECK(turns_taken(3, {.min = 1000}) == std::vector<int>{100, 2, 100});
  CHECK(turns_taken(0, {.seconds = 1e9}).empty());
}

TEST_CASE("the number of rounds is limited, however much time there is") {
  CHECK(turns_taken(1, {.min = 2, .max = 7, .seconds = 1e9}) == std::vector<int>{7});
}

}  // namespace
}  // namespace tilewright
