#include "runtime/api/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/printable.hpp"
#include "runtime/complex/complex_product.hpp"

namespace tilewright {
namespace {

std::string us(std::optional<double> ns) {
  return ns ? fmt::format("{:.3g}", *ns / 1e3) : "?";
}

bool serves_by_profile(const Explanation& explanation) {
  return std::any_of(explanation.candidates.begin(), explanation.candidates.end(),
                     [](const PlanCandidate& candidate) {
                       return candidate.fate == CandidateFate::kServes &&
                              !is_unmeasured_built_in(candidate.plan);
                     });
}

}  // namespace

std::vector<PlanStep> steps_of(const GemmPlan& plan) {
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
  for (const PlanStep& step : steps_of(plan)) {
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : " + ", step.name, us(step.ns),
                        printable(step.kernel->name));
  }
  if (plan.times.launches_ns > 0.0) text += " + launches " + us(plan.times.launches_ns);
  return text;
}

const char* to_text(CandidateFate fate) {
  switch (fate) {
    case CandidateFate::kServes:
      return "serves";
    case CandidateFate::kPassedOver:
      return "passed over";
    case CandidateFate::kNext:
      break;
  }
  return "next";
}

std::string reason_of(const PlanCandidate& candidate) {
  if (candidate.fate == CandidateFate::kPassedOver) {
    return "passed over: " + candidate.why_not;
  }
  if (!candidate.plan.times.compared) {
    return "never compared with the built-in kernels on shapes like this: behind them";
  }
  if (candidate.plan.times.guessed) {
    return candidate.fate == CandidateFate::kServes
               ? "built-in kernel, never measured: least guessed time"
               : "built-in kernel, never measured: its time is guessed";
  }
  if (!candidate.plan.times.measured) {
    if (candidate.fate == CandidateFate::kServes) {
      return "nothing that was measured, and compared with the built-in kernels, can serve";
    }
    return candidate.plan.profile->kind == ProfileKind::kGeneric
               ? "built-in kernel, never measured: behind all that were"
               : "no measured result for this op: behind all that have one";
  }
  if (candidate.plan.times.untuned && candidate.fate == CandidateFate::kNext) {
    return "behind all that were measured on this shape";
  }
  const bool exact = candidate.plan.times.exact;
  if (candidate.fate == CandidateFate::kServes) {
    return exact ? "measured on this shape: least time" : "least predicted time";
  }
  return exact ? "measured on this shape: slower" : "predicted slower";
}

std::vector<PlanCandidate> candidates_of(std::vector<GemmPlan> plans,
                                         const LoadFailure& load_failure) {
  std::vector<PlanCandidate> candidates;
  bool served = false;
  for (GemmPlan& plan : plans) {
    PlanCandidate candidate;
    if (!served) {
      const auto failure = load_failure ? load_failure(plan) : std::nullopt;
      served = !failure;
      candidate.fate = served ? CandidateFate::kServes : CandidateFate::kPassedOver;
      candidate.why_not = failure.value_or("");
    }
    candidate.plan = std::move(plan);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

void explain_product(const GemmProblem& problem, Explanation& explanation,
                     std::uint64_t max_buffer_bytes) {
  explanation.problem = problem;
  if (!problem.complex) return;
  explanation.complex = complex_text(problem, max_buffer_bytes);
  if (const auto real = real_twin(problem, max_buffer_bytes)) explanation.problem = *real;
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

std::string to_table(const Explanation& explanation) {
  const GemmProblem& p = explanation.problem;
  std::string text = explanation.complex.empty() ? "" : explanation.complex + "\n";
  text += fmt::format("{} {}{}, alpha {}, beta {}, ld {} {} {} (A, B, C; row-major), on {}\n",
                      to_text(p.op), to_text(p.shape), of_elements(p.precision), p.alpha, p.beta,
                      p.a.ld, p.b.ld, p.c.ld, printable(explanation.device));
  if (explanation.candidates.empty()) return text + "no kernel can serve this call\n";
  text += fmt::format("{:>3}  {:>10}  {:<14}  predicted parts in us, in the order of running\n", "",
                      "total us", "");
  int rank = 0;
  int unmeasured = 0;  // built-in kernels, behind a profile's that serves: one line for all
  const bool by_profile = serves_by_profile(explanation);
  for (const PlanCandidate& candidate : explanation.candidates) {
    if (by_profile && is_unmeasured_built_in(candidate.plan)) {
      ++unmeasured;
      continue;
    }
    text += fmt::format("{:>3}  {:>10}  {:<14}  {}\n{:>35}{}\n", ++rank,
                        us(total_ns(candidate.plan)), to_text(candidate.fate),
                        steps_text(candidate.plan), "", printable(reason_of(candidate)));
  }
  if (unmeasured > 0) {
    text += fmt::format("{:>35}{} built-in kernels, never measured: behind all that were\n", "",
                        unmeasured);
  }
  text += fmt::format(
      "{} of {} product kernels can serve this call; the others do not fit the device, "
      "the shape or the alignment\n",
      explanation.candidates.size(), explanation.kernels);
  if (!explanation.built) text += "nothing was built: --device D tells what builds there\n";
  return text;
}

}  // namespace tilewright
