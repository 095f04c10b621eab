#include "runtime/api/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/base/printable.hpp"
#include "runtime/complex/complex_product.hpp"

namespace tilewright {
namespace {

std::string us(std::optional<double> ns) {
  if (!ns) return "?";
  return *ns < 1e6 ? fmt::format("{:.3g}", *ns / 1e3) : fmt::format("{:.0f}", *ns / 1e3);
}

constexpr std::size_t kMaxNext = 3;      // plans that are listed after the one that runs
constexpr std::size_t kNameColumn = 24;  // width of a kernel's name in a table
constexpr const char* kNothingMeasured = "no plan that was measured can run";

// Explains, by the evidence of a plan, why it runs or why it comes after the plan that runs.
struct Reason {
  const char* runs;
  const char* next;
};
constexpr Reason kReasons[] = {
    {"measured on this shape: least time", "measured on this shape: slower"},
    {"least predicted time", "predicted slower, or not clearly faster"},
    {"least predicted time", "ranked after those that were measured on this shape"},
    {"least predicted time, from measurements of larger products only",
     "measured on larger products only"},
    {"built-in kernel, never measured: least estimated time",
     "built-in kernel, never measured: its time is estimated"},
    {kNothingMeasured, "built-in kernel, never measured: ranked after the measured ones"},
    {kNothingMeasured, "not measured with this op: ranked after the measured ones"},
};
static_assert(std::size(kReasons) == static_cast<std::size_t>(TimeEvidence::kUnmeasured) + 1);
constexpr const char* kBaselineNotUsed = "this is what runs without a profile; it is not used here";
constexpr Reason kUncovered = {
    "this is what runs without a profile; the profile does not cover such calls", kBaselineNotUsed};
constexpr Reason kUnbeaten = {
    "this is what runs without a profile; no plan is predicted to be faster beyond doubt",
    kBaselineNotUsed};

const Reason& reason_for(const PlanTimes& times) {
  if (times.first_because == FirstBecause::kUncovered) return kUncovered;
  if (times.first_because == FirstBecause::kUnbeaten) return kUnbeaten;
  return kReasons[static_cast<std::size_t>(times.evidence)];
}

}  // namespace

std::vector<PlanStep> plan_steps(const GemmPlan& plan) {
  std::vector<PlanStep> steps;
  for (const StepFacts& facts : kCallSteps) {
    const GemmPlan::Choices& choices = plan.choices[facts.step];
    if (choices.empty()) continue;
    steps.push_back({facts.name, choices.front(), plan.times.of(facts.step)});
  }
  return steps;
}

std::optional<double> total_ns(const GemmPlan& plan) {
  if (!plan.times.has_time()) return std::nullopt;
  return plan.times.total_ns();
}

std::string predicted_text(std::optional<double> ns) {
  return ns ? fmt::format("predicted {} us", us(ns)) : "never measured";
}

std::string predicted_text(const GemmPlan& plan) {
  if (plan.times.evidence == TimeEvidence::kGuessed)
    return fmt::format("estimated {} us", us(total_ns(plan)));
  return predicted_text(total_ns(plan));
}

std::string steps_text(const GemmPlan& plan, bool names) {
  std::string text;
  for (const PlanStep& step : plan_steps(plan)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", step.name, us(step.ns));
    if (names) text += fmt::format(" ({})", printable(step.kernel->name));
  }
  if (plan.times.launches_ns > 0.0) text += " + launches " + us(plan.times.launches_ns);
  return text;
}

const char* to_text(CandidateFate fate) {
  switch (fate) {
    case CandidateFate::kRuns:
      return "runs";
    case CandidateFate::kPassedOver:
      return "not usable";
    case CandidateFate::kNext:
      break;
  }
  return "next";
}

std::string reason_text(const PlanCandidate& candidate) {
  if (candidate.fate == CandidateFate::kPassedOver) {
    return "not usable: " + candidate.why_not;
  }
  const Reason& reason = reason_for(candidate.plan.times);
  return candidate.fate == CandidateFate::kRuns ? reason.runs : reason.next;
}

std::vector<PlanCandidate> explain_candidates(std::vector<GemmPlan> plans,
                                              const LoadFailure& load_failure) {
  std::vector<PlanCandidate> candidates;
  bool found = false;
  for (GemmPlan& plan : plans) {
    PlanCandidate candidate;
    if (!found) {
      const auto failure = load_failure ? load_failure(plan) : std::nullopt;
      found = !failure;
      candidate.fate = found ? CandidateFate::kRuns : CandidateFate::kPassedOver;
      candidate.why_not = failure.value_or("");
    }
    candidate.plan = std::move(plan);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

Explanation explain_call(const GemmProblem& problem, const RankPlans& rank,
                         const LoadFailure& load_failure, std::uint64_t max_buffer_bytes) {
  Explanation explanation;
  explanation.problem = problem;
  explanation.built = load_failure != nullptr;
  if (problem.complex) {
    explanation.complex = complex_text(problem, max_buffer_bytes);
    const auto real = equivalent_real_product(problem, max_buffer_bytes);
    if (!real) return explanation;
    explanation.problem = *real;
  }
  explanation.candidates = explain_candidates(rank(explanation.problem), load_failure);
  return explanation;
}

std::string to_table(const Explanation& explanation, bool all) {
  const GemmProblem& p = explanation.problem;
  std::string text = explanation.complex.empty() ? "" : explanation.complex + "\n";
  text += fmt::format("{} {}{}, alpha {}, beta {}, ld {} {} {} (A, B, C; row-major)\non {}\n",
                      to_text(p.op), to_text(p.shape), of_elements(p.precision), p.alpha, p.beta,
                      p.a.ld, p.b.ld, p.c.ld, printable(explanation.device));
  if (explanation.candidates.empty()) return text + "no kernel can be used for this call\n";
  text += fmt::format("{:>7}  {:<11}{:<26}{}\n", "us", "", all ? "" : "kernel", "steps, us");
  std::size_t next = 0;
  for (const PlanCandidate& candidate : explanation.candidates) {
    const GemmPlan& plan = candidate.plan;
    const bool is_next = candidate.fate == CandidateFate::kNext;
    if (is_next && ++next > kMaxNext && !all) continue;
    text += fmt::format("{:>7}  {:<11}{:<{}}{}\n", us(total_ns(plan)), to_text(candidate.fate),
                        all ? "" : printable(plan.kernel().name.substr(0, kNameColumn)),
                        all ? 0 : kNameColumn + 2, steps_text(plan, all));
    if (!is_next || all) text += fmt::format("{:>20}{}\n", "", printable(reason_text(candidate)));
  }
  if (next > kMaxNext && !all) text += fmt::format("{:>9}{} more\n", "", next - kMaxNext);
  if (!explanation.built) text += "no kernel was compiled; --device shows which kernels compile\n";
  return text;
}

}  // namespace tilewright
