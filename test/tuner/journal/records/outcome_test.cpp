#include "tuner/journal/records/outcome.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("a finalist that does not support a shape, or is too slow on it, has not failed") {
  Outcome outcome;
  outcome.reason = "the reason";
  for (const OutcomeClass result : kOutcomeClasses) {
    outcome.result = result;
    INFO(to_text(result));
    const bool failed = result != OutcomeClass::kOk && result != OutcomeClass::kSlow &&
                        result != OutcomeClass::kLimits;
    CHECK(failure_of_finalist(outcome).has_value() == failed);
  }
  outcome.result = OutcomeClass::kHang;
  CHECK(failure_of_finalist(outcome) == "hang: the reason");
}

}  // namespace
}  // namespace tilewright
