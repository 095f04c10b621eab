// Tests how long a slow candidate is measured.
#include <limits>

#include "tuner/journal/records/slow_down.hpp"
#include "tuner/measure/session/device_session.hpp"

#include "session_case.hpp"

namespace tilewright {
namespace {

TEST_CASE("a much slower candidate has one sample, and class slow if it is slow on every shape") {
  SessionCase s;
  MeasureRequest request = trial_request(kGood, {{48, 48, 48}, {56, 56, 56}, {64, 64, 64}});
  request.best_ns = {1.0, 1.0, 1.0};  // no kernel is this fast
  const Outcome outcome = outcome_from_reply(s.session, request);
  CHECK(outcome.result == OutcomeClass::kSlow);
  CHECK_FALSE(outcome.reason.empty());
  // It is so slow on the first two shapes that it is not launched on the third,
  REQUIRE(outcome.shapes.size() == 2);
  CHECK(outcome.shapes[0].ns.size() == 1);
  // whatever is known about the third.
  request.best_ns[2] = 1e15;
  const Outcome hopeless = outcome_from_reply(s.session, request);
  CHECK(hopeless.result == OutcomeClass::kSlow);
  CHECK(hopeless.shapes.size() == 2);
}

TEST_CASE("a candidate that is hopeless on the first shape only is tried on the others") {
  SessionCase s;
  MeasureRequest request = trial_request(kGood, {{48, 48, 48}, {56, 56, 56}, {64, 64, 64}});
  request.best_ns = {1.0, 1e15, 1e15};
  const Outcome outcome = outcome_from_reply(s.session, request);
  CHECK(outcome.result == OutcomeClass::kOk);
  CHECK(outcome.shapes.size() == 3);
}

TEST_CASE(
    "a candidate that is slower on one shape is launched on the next, and may be the best there") {
  SessionCase s;
  MeasureRequest request = trial_request(kGood, {{48, 48, 48}, {64, 64, 64}});
  request.best_ns[1] = 1e15;
  Outcome mixed = outcome_from_reply(s.session, request);
  // It must be between two and eight times slower; on a busy machine this may need another attempt.
  for (int tries = 0; tries < 100; ++tries) {
    REQUIRE(mixed.result == OutcomeClass::kOk);
    REQUIRE_FALSE(mixed.shapes.empty());
    request.best_ns[0] = median_ns(mixed.shapes[0]) / 4.0;
    mixed = outcome_from_reply(s.session, request);
    if (mixed.shapes.size() == 2 && mixed.shapes[0].ns.size() == 1) break;
    request.best_ns[0] = std::numeric_limits<double>::infinity();
    mixed = outcome_from_reply(s.session, request);
  }
  CHECK(mixed.result == OutcomeClass::kOk);
  REQUIRE(mixed.shapes.size() == 2);
  CHECK(mixed.shapes[0].ns.size() == 1);
  CHECK(mixed.shapes[1].ns.size() == 3);
}

TEST_CASE("a candidate that was nearly the best on some shape is tried on every shape") {
  SessionCase s;
  MeasureRequest request = trial_request(kGood, {{48, 48, 48}, {56, 56, 56}, {64, 64, 64}});
  request.best_ns = {1e15, 1.0, 1e15};
  const Outcome outcome = outcome_from_reply(s.session, request);
  CHECK(outcome.result == OutcomeClass::kOk);
  REQUIRE(outcome.shapes.size() == 3);
  CHECK(outcome.shapes[1].ns.size() == 1);
  CHECK(outcome.shapes[2].ns.size() == 3);
}

}  // namespace
}  // namespace tilewright
