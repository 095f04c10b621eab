#include "runtime/api/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/base/printable.hpp"
#include "runtime/complex/complex_product.hpp"

namespace tilewright {
namespace {

std::string us(std::optional<double> ns) {
  return ns ? fmt::format("{:.3g}", *ns / 1e3) : "?";
}

constexpr std::size_t kMaxNext = 3;  // plans that to_text() lists after the one that runs
constexpr const char* kNothingMeasured = "no plan that was measured can run";

// Explains, by the basis of a plan's time, why it runs or why it comes after the plan that runs.
struct Reason {
  const char* runs;
  const char* next;
};
constexpr Reason kReasons[] = {
    {"measured on this shape: least time", "measured on this shape: slower"},
    {"least predicted time", "predicted slower, or not clearly faster"},
    {"least predicted time", "after all that were measured on this shape"},
    {"least predicted time, from measurements of larger products only",
     "measured on larger products only"},
    {"built-in kernel, never measured: least guessed time",
     "built-in kernel, never measured: its time is guessed"},
    {kNothingMeasured, "built-in kernel, never measured: after all that were"},
    {kNothingMeasured, "no measured result for this op: after all that have one"},
    {"this is what runs without a profile; the profile does not cover such calls",
     "this is what runs without a profile; it is not used here"},
    {"this is what runs without a profile; no plan is predicted to be faster beyond doubt",
     "this is what runs without a profile; it is not used here"},
};
static_assert(std::size(kReasons) == static_cast<std::size_t>(TimeBasis::kUnbeaten) + 1);

bool runs_by_profile(const Explanation& explanation) {
  return std::any_of(explanation.candidates.begin(), explanation.candidates.end(),
                     [](const PlanCandidate& candidate) {
                       return candidate.fate == CandidateFate::kRuns &&
                              !is_unmeasured_built_in(candidate.plan);
                     });
}

std::size_t product_kernels(const std::vector<const Profile*>& profiles, Precision precision) {
  std::size_t count = 0;
  for (const Profile* profile : profiles) {
    count += static_cast<std::size_t>(std::count_if(
        profile->kernels.begin(), profile->kernels.end(), [&](const KernelRecord& record) {
          return is_product(record.role) && record.precision == precision;
        }));
  }
  return count;
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
  if (!plan.times.measured) return std::nullopt;
  return plan.times.total_ns();
}

std::string predicted_text(std::optional<double> ns) {
  return ns ? fmt::format("predicted {} us", us(ns)) : "never measured";
}

std::string predicted_text(const GemmPlan& plan) {
  if (plan.times.guessed) return fmt::format("guessed {} us", us(total_ns(plan)));
  return predicted_text(total_ns(plan));
}

std::string steps_text(const GemmPlan& plan) {
  std::string text;
  for (const PlanStep& step : plan_steps(plan)) {
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : " + ", step.name, us(step.ns),
                        printable(step.kernel->name));
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
  const Reason& reason = kReasons[static_cast<std::size_t>(time_basis(candidate.plan))];
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

Explanation explain_call(const GemmProblem& problem, const std::vector<const Profile*>& profiles,
                         const RankPlans& rank, const LoadFailure& load_failure,
                         std::uint64_t max_buffer_bytes) {
  Explanation explanation;
  explanation.problem = problem;
  explanation.built = load_failure != nullptr;
  explanation.kernels = product_kernels(profiles, problem.precision);
  if (problem.complex) {
    explanation.complex = complex_text(problem, max_buffer_bytes);
    const auto real = equivalent_real_product(problem, max_buffer_bytes);
    if (!real) return explanation;
    explanation.problem = *real;
  }
  explanation.candidates = explain_candidates(rank(explanation.problem), load_failure);
  return explanation;
}

std::string to_text(const Explanation& explanation) {
  std::string text = explanation.complex.empty() ? "" : explanation.complex + "\n";
  std::string others;
  std::size_t next = 0;
  bool built_in = false;  // the plan that runs uses a built-in kernel
  for (const auto& [fate, plan, why_not] : explanation.candidates) {
    const std::string& kernel = plan.kernel().name;
    if (fate == CandidateFate::kRuns) {
      text += fmt::format("{}: {}", kernel, reason_text(plan));
      built_in = plan.profile->kind == ProfileKind::kGeneric;
    } else if (fate == CandidateFate::kPassedOver) {
      others +=
          fmt::format("\n  not usable: {}: {}; {}", kernel, time_text(plan), printable(why_not));
    } else if ((!is_unmeasured_built_in(plan) || (built_in && plan.times.guessed)) &&
               next++ < kMaxNext) {
      others += fmt::format("\n  next: {}: {}", kernel, time_text(plan));
    }
  }
  return text + others;
}

std::string to_table(const Explanation& explanation) {
  const GemmProblem& p = explanation.problem;
  std::string text = explanation.complex.empty() ? "" : explanation.complex + "\n";
  text += fmt::format("{} {}{}, alpha {}, beta {}, ld {} {} {} (A, B, C; row-major), on {}\n",
                      to_text(p.op), to_text(p.shape), of_elements(p.precision), p.alpha, p.beta,
                      p.a.ld, p.b.ld, p.c.ld, printable(explanation.device));
  if (explanation.candidates.empty()) return text + "no kernel can be used for this call\n";
  text +=
      fmt::format("{:>3}  {:>10}  {:<14}  predicted times of the steps, us\n", "", "total us", "");
  int rank = 0;
  // Built-in kernels after a profile's kernel that runs are summarised in one line.
  int unmeasured = 0;
  const bool by_profile = runs_by_profile(explanation);
  for (const PlanCandidate& candidate : explanation.candidates) {
    if (by_profile && is_unmeasured_built_in(candidate.plan)) {
      ++unmeasured;
      continue;
    }
    text += fmt::format("{:>3}  {:>10}  {:<14}  {}\n{:>35}{}\n", ++rank,
                        us(total_ns(candidate.plan)), to_text(candidate.fate),
                        steps_text(candidate.plan), "", printable(reason_text(candidate)));
  }
  if (unmeasured > 0) {
    text += fmt::format("{:>35}{} built-in kernels, never measured: after all that were\n", "",
                        unmeasured);
  }
  text += fmt::format(
      "{} of {} product kernels can be used for this call; the others do not fit the device, the "
      "shape or the alignment\n",
      explanation.candidates.size(), explanation.kernels);
  if (!explanation.built) text += "no kernel was compiled; --device shows which kernels compile\n";
  return text;
}

}  // namespace tilewright
