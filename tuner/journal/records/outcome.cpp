#include "tuner/journal/records/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tilewright {

std::string_view to_text(OutcomeClass result) {
  switch (result) {
    case OutcomeClass::kOk:
      return "ok";
    case OutcomeClass::kSlow:
      return "slow";
    case OutcomeClass::kLimits:
      return "limits";
    case OutcomeClass::kBuild:
      return "build";
    case OutcomeClass::kBuildCrash:
      return "build_crash";
    case OutcomeClass::kLaunch:
      return "launch";
    case OutcomeClass::kHang:
      return "hang";
    case OutcomeClass::kWrong:
      return "wrong";
  }
  return {};  // Not an enumerator. No parser accepts ""
}

std::optional<OutcomeClass> parse_outcome_class(std::string_view text) {
  for (const OutcomeClass result : kOutcomeClasses) {
    if (to_text(result) == text) return result;
  }
  return std::nullopt;
}

bool is_from_search(const Outcome& outcome) {
  const std::string_view task = outcome.task;
  return task != kBuiltIn && task != kQuarantine && task != kPacking && task != kFused &&
         task != kValidating;
}

std::optional<std::string> failure_of_finalist(const Outcome& outcome) {
  constexpr OutcomeClass kNoFailures[] = {OutcomeClass::kOk, OutcomeClass::kLimits,
                                          OutcomeClass::kSlow};
  if (std::ranges::find(kNoFailures, outcome.result) != std::end(kNoFailures)) return std::nullopt;
  return fmt::format("{}: {}", to_text(outcome.result), outcome.reason);
}

std::set<KernelId> failed_later(const std::vector<Outcome>& outcomes) {
  std::set<KernelId> failed;
  for (const Outcome& outcome : outcomes) {
    const bool later = outcome.task == kQuarantine || outcome.task == kValidating;
    if (later && outcome.result != OutcomeClass::kOk) failed.insert(outcome.kernel);
  }
  return failed;
}

const ShapeSamples* samples_on(const Outcome& outcome, const GemmShape& shape) {
  for (const ShapeSamples& samples : outcome.shapes) {
    if (samples.shape == shape) return &samples;
  }
  return nullptr;
}

}  // namespace tilewright
