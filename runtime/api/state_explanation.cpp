// Explains how an open library would compute a call.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "runtime/api/explanation.hpp"
#include "runtime/api/library_state.hpp"

namespace tilewright {
namespace {

// Failures are separate lines.
std::string first_line(const std::string& failures) {
  const std::size_t begin = failures.find_first_not_of('\n');
  return begin == std::string::npos ? "one of its kernels cannot be loaded"
                                    : failures.substr(begin, failures.find('\n', begin) - begin);
}

}  // namespace

Explanation Library::State::explanation(const GemmProblem& problem, const KernelRecord* runs) {
  const auto load_failure = [&](const GemmPlan& plan) -> std::optional<std::string> {
    if (&plan.kernel() == runs) return std::nullopt;
    std::string failures;
    const auto load = [&](const KernelRecord& record) { return kernels_.load(record, failures); };
    if (!load_route(plan, load)) return first_line(failures);
    return std::nullopt;
  };
  Explanation explanation = explain_call(
      problem, [&](const GemmProblem& real) { return ranked(real); }, load_failure,
      temporaries_.largest_buffer());
  explanation.device = device_.identity.name;
  if (checks_kernels_) explanation.device += "; kernels of the profile are verified at first use";
  return explanation;
}

std::string Library::State::explain(const GemmProblem& problem) {
  require_same_process();
  const std::optional<GemmProblem> real =
      problem.complex ? equivalent_real_product(problem, temporaries_.largest_buffer()) : problem;
  if (!real) return explanation(problem, nullptr).complex;
  const std::shared_ptr<const PlannedRoute> planned = route(*real);
  const GemmPlan& plan = planned->route.plan;
  std::string text = to_text(explanation(problem, &plan.kernel()));
  if (checks_kernels_ && plan.profile == &profile_) {
    text +=
        "\n  the profile was tuned with another driver, so its kernels are verified at first use";
  }
  return text;
}

std::string Library::State::explain_all(const GemmProblem& problem) {
  require_same_process();
  const Explanation explained = explanation(problem, nullptr);
  return explained.problem.complex ? explained.complex + "\n" : to_table(explained, true);
}

std::vector<std::string> Library::State::kernels_for(const GemmProblem& problem) {
  if (problem.complex) {
    const std::size_t largest = temporaries_.largest_buffer();
    const ComplexConversions conversions = complex_conversions(problem, largest);
    std::vector<std::string> names;
    for (const ComplexKernel kernel : conversions.before)
      names.push_back(complex_kernel_name(kernel));
    if (const std::optional<GemmProblem> real = equivalent_real_product(problem, largest)) {
      for (std::string& name : kernels_for(*real)) names.push_back(std::move(name));
    }
    for (const ComplexKernel kernel : conversions.after)
      names.push_back(complex_kernel_name(kernel));
    return names;
  }
  std::vector<std::string> names;
  for (const LoadedKernel* kernel : route(problem)->route.in_order()) {
    names.push_back(kernel->record().name);
  }
  return names;
}

}  // namespace tilewright
