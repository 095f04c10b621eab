// Explains the rank of a plan in words.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "runtime/plan/plan.hpp"

namespace tilewright {
namespace {

std::string microseconds(double ns) {
  return fmt::format("{:.3g} us", ns / 1e3);
}

// The predicted time and what it is based on, as a sentence.
std::string time_text(const PlanTimes& times) {
  const std::string time = microseconds(times.total_ns());
  if (times.first_because == FirstBecause::kUncovered) {
    return "runs without a profile; this profile has not measured it on shapes like this";
  }
  if (times.first_because == FirstBecause::kUnbeaten) {
    return fmt::format(
        "runs without a profile: predicted {}; no plan is faster by more than the error of "
        "predictions",
        time);
  }
  switch (times.evidence) {
    case TimeEvidence::kMeasuredHere:
    case TimeEvidence::kPredicted:
      break;
    case TimeEvidence::kUntuned:
      return fmt::format("predicted {}, after kernels that were measured on this shape", time);
    case TimeEvidence::kLargerOnly:
      return fmt::format("predicted {} from measurements of larger products only", time);
    case TimeEvidence::kGuessed:
      return fmt::format(
          "built-in kernel, never measured: {} estimated from the device's properties", time);
    case TimeEvidence::kUnmeasuredBuiltIn:
      return "built-in kernel, never measured";
    case TimeEvidence::kUnmeasured:
      return "no measured result for this op";
  }
  return "predicted " + time;
}

// Why a step runs.
std::string step_reason(const GemmPlan& plan, const StepFacts& facts) {
  if (facts.step == CallStep::kReduce && plan.division) {
    return fmt::format("k of the last {} tiles is divided among {} work-groups",
                       plan.division->shared_tiles(), plan.division->sharing_groups);
  }
  return fmt::format(fmt::runtime(facts.reason), plan.parts.count);
}

}  // namespace

std::string reason_text(const GemmPlan& plan) {
  const PlanTimes& times = plan.times;
  std::string reason = time_text(times);
  const auto add = [&](const std::string& what, double ns) {
    reason += fmt::format(", {} ({})", what, microseconds(ns));
  };
  // If there is only the kernel, its time is the sum.
  const bool alone =
      std::none_of(std::begin(kCallSteps), std::end(kCallSteps), [&](const StepFacts& facts) {
        return facts.step != CallStep::kGemm && plan.runs(facts.step);
      });
  if (times.has_time() && !alone) add("kernel", times.ns[CallStep::kGemm]);
  for (const StepFacts& facts : kCallSteps) {
    if (facts.step == CallStep::kGemm || plan.choices[facts.step].empty()) continue;
    if (plan.runs(facts.step)) {
      add(step_reason(plan, facts), times.ns[facts.step]);
    } else {
      reason += ", B is packed once";
    }
  }
  if (times.launches_ns > 0.0) add("launching the rest", times.launches_ns);
  return reason;
}

}  // namespace tilewright
