// Tests how the fastest of several ways is chosen from measured times.
#include "runtime/team/measured_choice.hpp"

#include <limits>

#include "catch.hpp"

namespace tilewright {
namespace {

// `seconds`: the true time of each way.
void run(MeasuredChoice& choice, const std::vector<double>& seconds, int calls) {
  for (int i = 0; i < calls; ++i) {
    const Choice next = choice.next();
    choice.record(next, seconds[next.way]);
  }
}

// Runs calls until the next one is a retry. Returns that one, which is not recorded.
Choice run_until_retry(MeasuredChoice& choice, const std::vector<double>& seconds) {
  for (int i = 0; i < 1'000'000; ++i) {
    const Choice next = choice.next();
    if (next.is_retry) return next;
    choice.record(next, seconds[next.way]);
  }
  FAIL("no retry");
  return {};
}

void fail(MeasuredChoice& choice, double seconds) {
  choice.record_failure(choice.next(), seconds);
}

TEST_CASE("team: a way that becomes slow is replaced") {
  MeasuredChoice choice({1.0, 1.2});
  for (int i = 0; i < 3; ++i) {
    const Choice next = choice.next();
    REQUIRE(next.way == 0);
    CHECK(choice.record(next, 1.0) == (i > 0));
  }
  for (int i = 0; i < 3; ++i) {
    const Choice next = choice.next();
    REQUIRE(next.way == 1);
    choice.record(next, 1.3);
  }
  CHECK(choice.current() == 0);
  run(choice, {1.6, 1.3}, 20);
  CHECK(choice.current() == 1);
}

TEST_CASE(
    "team: ways that are predicted to be far slower are not tried, and first runs do not count") {
  MeasuredChoice choice({1.0, 2.0});
  REQUIRE(choice.current() == 0);
  CHECK_FALSE(choice.record(choice.next(), 100.0));  // compiles kernels
  run(choice, {1.0, 2.0}, 2);
  CHECK(choice.current() == 0);
  choice.expect(1, 0.9);
  CHECK(choice.current() == 1);
}

TEST_CASE("team: first calls at the same time do not count") {
  MeasuredChoice choice({1.0, 1.2});
  const Choice first = choice.next();
  const Choice second = choice.next();
  CHECK_FALSE(choice.record(first, 100.0));
  CHECK_FALSE(choice.record(second, 100.0));
  CHECK(choice.record(choice.next(), 1.0));
}

TEST_CASE("team: one caller at a time retries a way") {
  MeasuredChoice choice({1.0, 1.2});
  const Choice first = run_until_retry(choice, {1.0, 1.2});
  CHECK(first.way == 1);
  CHECK(choice.current() == 0);
  for (int i = 0; i < 8; ++i) CHECK(choice.next().way == 0);
  CHECK_FALSE(choice.record(first, 100.0));
  CHECK(choice.current() == 0);
  const Choice second = choice.next();
  CHECK(second.is_retry);
  CHECK(second.way == 1);
  for (int i = 0; i < 8; ++i) CHECK(choice.next().way == 0);
  CHECK(choice.record(second, 0.5));
  CHECK(choice.current() == 1);
}

TEST_CASE("team: a retry whose call throws is followed by others") {
  MeasuredChoice choice({1.0, 1.2});
  const Choice lost = run_until_retry(choice, {1.0, 1.2});
  const Choice next = run_until_retry(choice, {1.0, 1.2});
  CHECK(next.way == 1);
  CHECK(next.call > lost.call + 2 * 128);  // the wait has doubled
}

TEST_CASE("team: a call from before a retry does not use up the retry") {
  MeasuredChoice choice({1.0, 1.2});
  Choice late;
  for (int i = 0; i < 20; ++i) {
    const Choice next = choice.next();
    if (next.way == 1) late = next;
    choice.record(next, next.way == 1 ? 1.2 : 1.0);
  }
  REQUIRE(late.way == 1);
  const Choice first = run_until_retry(choice, {1.0, 1.2});
  REQUIRE(first.way == 1);
  CHECK_FALSE(choice.record(late, 1.2));
  CHECK(choice.next().way == 0);  // the retry is not over
  CHECK_FALSE(choice.record(first, 100.0));
  CHECK_FALSE(choice.record(late, 1.2));
  const Choice second = choice.next();
  CHECK(second.is_retry);
  CHECK_FALSE(choice.record(late, 1.2));
  CHECK(choice.record(second, 0.5));
  CHECK(choice.current() == 1);
}

TEST_CASE("team: a call of an abandoned retry does not use up the next one") {
  MeasuredChoice choice({1.0, 1.2});
  const Choice lost = run_until_retry(choice, {1.0, 1.2});
  const Choice first = run_until_retry(choice, {1.0, 1.2});
  CHECK_FALSE(choice.record(lost, 1.2));
  CHECK(choice.next().way == 0);
  CHECK_FALSE(choice.record(first, 100.0));
  CHECK(choice.next().is_retry);
}

TEST_CASE("team: a call of a way that is used meanwhile does not end its retry") {
  MeasuredChoice choice({1.0, 1.2});
  const Choice first = run_until_retry(choice, {1.0, 1.2});
  choice.restart(0);
  choice.expect(0, 10.0);
  const Choice other = choice.next();
  REQUIRE(other.way == 1);
  REQUIRE_FALSE(other.is_retry);
  CHECK_FALSE(choice.record(other, 1.2));
  choice.expect(0, 1.0);
  CHECK_FALSE(choice.record(first, 100.0));
  const Choice second = choice.next();
  CHECK(second.way == 1);
  CHECK(second.is_retry);
}

TEST_CASE("team: a call from before a change of its way is not the warm-up of the new one") {
  MeasuredChoice choice({1.0, 1.2});
  run(choice, {1.0, 1.2}, 10);
  const Choice old = choice.next();
  REQUIRE(old.way == 0);
  choice.warm_up(0);
  CHECK_FALSE(choice.record(old, 1.0));
  CHECK_FALSE(choice.record(choice.next(), 100.0));
  CHECK(choice.record(choice.next(), 1.0));
}

TEST_CASE("team: a slow retry does not exclude a way for ever") {
  MeasuredChoice choice({1.0, 1.2});
  choice.record(run_until_retry(choice, {1.0, 1.2}), 1.2);
  choice.record(choice.next(), 1000.0);
  run(choice, {1.0, 0.5}, 128 * 1000);
  CHECK(choice.current() == 0);
  run(choice, {1.0, 0.5}, 128 * 1000 + 200);
  CHECK(choice.current() == 1);
}

TEST_CASE("team: a way that was not tried because of its prediction is tried later") {
  MeasuredChoice choice({1.0, 8.0});
  const Choice retry = run_until_retry(choice, {1.0, 0.5});
  CHECK(retry.way == 1);
  choice.record(retry, 0.5);
  run(choice, {1.0, 0.5}, 3);
  CHECK(choice.current() == 1);
}

TEST_CASE("team: a way without a prediction is not tried") {
  MeasuredChoice choice({1.0, std::numeric_limits<double>::infinity()});
  for (int i = 0; i < 100'000; ++i) {
    const Choice next = choice.next();
    REQUIRE(next.way == 0);
    choice.record(next, 1.0);
  }
}

TEST_CASE("team: the first call of a way that has changed does not count") {
  MeasuredChoice choice({1.0, 1.2});
  run(choice, {1.0, 1.2}, 10);
  choice.warm_up(0);
  CHECK_FALSE(choice.record(choice.next(), 100.0));
  CHECK(choice.current() == 0);
  // Also if it changes during a retry.
  CHECK_FALSE(choice.record(run_until_retry(choice, {1.0, 1.2}), 100.0));
  choice.warm_up(1);
  CHECK_FALSE(choice.record(choice.next(), 100.0));
  CHECK(choice.record(choice.next(), 0.9));
  CHECK(choice.current() == 1);
}

TEST_CASE("team: failures that alternate with successes count") {
  for (const int calls_before : {0, 1, 2, 10}) {
    INFO("after " << calls_before << " calls");
    const std::vector<double> seconds{0.5, 1.0};
    MeasuredChoice choice(seconds);
    run(choice, seconds, calls_before);
    // On average 1.75 s.
    for (int i = 0; i < 40; ++i) {
      const Choice next = choice.next();
      if (next.way == 0 && i % 2 == 0) {
        choice.record_failure(next, 3.0);
      } else {
        choice.record(next, seconds[next.way]);
      }
    }
    CHECK(choice.current() == 1);
  }
}

TEST_CASE("team: rare failures are forgiven") {
  MeasuredChoice choice({0.5, 1.0});
  for (int i = 0; i < 6; ++i) {
    fail(choice, 100.0);
    run(choice, {0.5, 1.0}, 16);
    CHECK(choice.current() == 0);
  }
  fail(choice, 100.0);
  run(choice, {0.5, 1.0}, 15);
  fail(choice, 100.0);
  CHECK(choice.current() == 1);
}

TEST_CASE("team: failures of calls at the same time are one failure") {
  MeasuredChoice choice({0.5, 1.0});
  run(choice, {0.5, 1.0}, 10);
  const Choice first = choice.next();
  const Choice second = choice.next();
  choice.record_failure(first, 100.0);
  choice.record_failure(second, 100.0);
  CHECK(choice.current() == 0);
  fail(choice, 100.0);
  CHECK(choice.current() == 1);
}

TEST_CASE("team: a failure in a retry counts at once and ends it") {
  for (const bool is_second : {false, true}) {
    INFO("second call of the retry: " << is_second);
    MeasuredChoice choice({1.0, 1.2});
    Choice retry = run_until_retry(choice, {1.0, 1.2});
    if (is_second) {
      choice.record(retry, 1.2);
      retry = choice.next();
      REQUIRE(retry.is_retry);
    }
    choice.record_failure(retry, 50.0);
    const Choice next = run_until_retry(choice, {1.0, 1.2});
    CHECK(next.call > retry.call + 2 * 128 * 50);
  }
}

}  // namespace
}  // namespace tilewright
