// Why does a plan serve? In words.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "runtime/plan/plan.hpp"

namespace tilewright {
namespace {

// Ways that explain() names behind the one that serves.
constexpr std::size_t kExplainedOthers = 3;

std::string microseconds(double ns) {
  return fmt::format("{:.3g} us", ns / 1e3);
}

std::string time_of(const GemmPlan& plan) {
  const PlanTimes& times = plan.times;
  if (!times.compared) {
    return "never compared with the built-in kernels on shapes like this";
  }
  if (times.guessed) {
    return fmt::format("built-in kernel, never measured: guessed {} by facts of the device",
                       microseconds(times.total_ns()));
  }
  if (times.untuned) {
    return fmt::format("predicted {}, behind kernels that were measured on this shape",
                       microseconds(times.total_ns()));
  }
  if (times.measured) {
    return fmt::format("predicted {}", microseconds(times.total_ns()));
  }
  return plan.profile->kind == ProfileKind::kGeneric ? "built-in kernel, never measured"
                                                     : "no measured result for this op";
}

}  // namespace

std::string reason_of(const GemmPlan& plan) {
  const PlanTimes& times = plan.times;
  std::string reason = time_of(plan);
  const auto add = [&](const std::string& what, double ns) {
    reason += fmt::format(", {} ({})", what, microseconds(ns));
  };
  // Alone, the kernel's time is the sum.
  const bool alone =
      std::none_of(std::begin(kCallSteps), std::end(kCallSteps), [&](const StepFacts& facts) {
        return facts.step != CallStep::kGemm && plan.runs(facts.step);
      });
  if (times.measured && !alone) add("kernel", times.ns[CallStep::kGemm]);
  for (const StepFacts& facts : kCallSteps) {
    if (facts.step == CallStep::kGemm || plan.choices[facts.step].empty()) continue;
    if (plan.runs(facts.step)) {
      add(fmt::format(fmt::runtime(facts.reason), plan.kernel().split_k), times.ns[facts.step]);
    } else {
      reason += ", B is packed once";
    }
  }
  if (times.launches_ns > 0.0) add("launching the rest", times.launches_ns);
  return reason;
}

std::string explain(const std::vector<GemmPlan>& plans, const KernelRecord& served,
                    const std::function<std::string(const GemmPlan&)>& why_passed_over) {
  std::string winner;
  std::string others;
  std::size_t after = 0;
  bool built_in = false;  // serves
  for (const GemmPlan& plan : plans) {
    if (&plan.kernel() == &served) {
      winner = fmt::format("{}: {}", served.name, reason_of(plan));
      built_in = plan.profile->kind == ProfileKind::kGeneric;
    } else if (winner.empty()) {
      others += fmt::format("\n  passed over, since {}: {}: {}", why_passed_over(plan),
                            plan.kernel().name, time_of(plan));
    } else if ((!is_unmeasured_built_in(plan) || (built_in && plan.times.guessed)) &&
               after++ < kExplainedOthers) {
      others += fmt::format("\n  next: {}: {}", plan.kernel().name, time_of(plan));
    }
  }
  return winner + others;
}

}  // namespace tilewright
