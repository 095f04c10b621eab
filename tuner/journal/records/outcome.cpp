#include "tuner/journal/records/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

std::string_view to_text(OutcomeClass result) {
  constexpr std::string_view kNames[] = {"ok",          "slow",   "limits", "build",
                                         "build_crash", "launch", "hang",   "wrong"};
  static_assert(std::size(kNames) == std::size(kOutcomeClasses));
  return kNames[static_cast<std::size_t>(result)];
}

std::optional<OutcomeClass> parse_outcome_class(std::string_view text) {
  for (const OutcomeClass result : kOutcomeClasses) {
    if (to_text(result) == text) return result;
  }
  return std::nullopt;
}

Outcomes requested_outcomes(const MeasureRequest& request) {
  Outcomes outcomes(request.num_kernels());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Outcome& outcome = outcomes[i];
    if (i < request.kernels.size()) {
      outcome.kernel = request.kernels[i];
    } else {
      outcome.name = request.names[i - request.kernels.size()];
    }
    outcome.task = request.task;
    outcome.process = request.process;
    outcome.round = request.round;
  }
  return outcomes;
}

bool is_from_search(const Outcome& outcome) {
  const std::string_view task = outcome.task;
  return task != kBuiltIn && task != kQuarantine && task != kPacking && task != kFinals &&
         task != kFused && task != kValidating;
}

bool is_crash(OutcomeClass result) {
  return result == OutcomeClass::kBuildCrash || result == OutcomeClass::kLaunch ||
         result == OutcomeClass::kHang;
}

std::optional<std::string> failure_of_finalist(const Outcome& outcome) {
  constexpr OutcomeClass kNoFailures[] = {OutcomeClass::kOk, OutcomeClass::kLimits,
                                          OutcomeClass::kSlow};
  if (std::ranges::find(kNoFailures, outcome.result) != std::end(kNoFailures)) return std::nullopt;
  return fmt::format("{}: {}", to_text(outcome.result), outcome.reason);
}

bool fails_later(const Outcome& outcome) {
  const bool later = outcome.task == kQuarantine || outcome.task == kValidating;
  return later && outcome.result != OutcomeClass::kOk;
}

std::set<KernelId> failed_later(const std::vector<Outcome>& outcomes) {
  std::set<KernelId> failed;
  for (const Outcome& outcome : outcomes) {
    if (fails_later(outcome)) failed.insert(outcome.kernel);
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
