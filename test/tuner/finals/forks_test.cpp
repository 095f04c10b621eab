// After how many rounds is another worker process worth what it costs?
#include "tuner/finals/forks.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

constexpr double kMuch_s = 1e6;

// Rounds of a fork until it is over, if all take `usual_s` but the first; at most 1000.
int rounds_of(Forks& forks, double first_s, double usual_s, double left_s = kMuch_s) {
  int rounds = 0;
  while (rounds < 1000 && !forks.is_over(left_s)) {
    forks.round(rounds == 0 ? first_s : usual_s);
    ++rounds;
  }
  return rounds;
}

TEST_CASE("the dearer another worker, the longer a fork, as the root of its cost") {
  Forks forks(0, 4.0);
  CHECK(rounds_of(forks, 1.0, 1.0) == 4);
  Forks dear(0, 16.0);
  CHECK(rounds_of(dear, 1.0, 1.0) == 8);
  Forks free(0, 0.0);
  CHECK(rounds_of(free, 1.0, 1.0) == 3);
  Forks very_dear(0, 1e4);
  CHECK(rounds_of(very_dear, 1.0, 1.0) == 25);
}

TEST_CASE("what a fork cost is seen by its first round") {
  Forks forks(5, 100.0);
  CHECK(forks.number() == 5);
  // The first worker has been at work before: it says nothing.
  CHECK(rounds_of(forks, 1.0, 1.0) == 20);
  CHECK(forks.next_round_cost_s() == 0.0);
  forks.next();
  CHECK(forks.number() == 6);
  CHECK(forks.cost_s() == 100.0);
  CHECK(forks.next_round_cost_s() == 100.0);
  CHECK_FALSE(forks.is_over(kMuch_s));
  CHECK(rounds_of(forks, 1.0 + 9.0, 1.0) == 6);
  CHECK(forks.cost_s() == Approx(9.0));
  CHECK(forks.next_round_cost_s() == 0.0);
  // Fewer race on: it cost less.
  forks.next();
  CHECK(rounds_of(forks, 1.0 + 4.0, 1.0) == 4);
  CHECK(forks.cost_s() == Approx(4.0));
}

TEST_CASE("no fork begins that would end before it says much") {
  Forks forks(0, 4.0);
  CHECK(rounds_of(forks, 1.0, 1.0, 5.9) == 1000);
  CHECK(forks.is_over(6.1));  // 4 s to begin with, and half of four rounds
}

}  // namespace
}  // namespace tilewright
