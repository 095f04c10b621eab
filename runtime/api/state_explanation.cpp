// How an open library would serve a call, for people.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "runtime/api/explanation.hpp"
#include "runtime/api/library_state.hpp"

namespace tilewright {

std::string Library::State::explain(const GemmProblem& problem) {
  if (problem.complex) {
    const std::size_t largest = temporaries_.largest_buffer();
    const std::optional<GemmProblem> real = real_twin(problem, largest);
    const std::string text = complex_text(problem, largest);
    return real ? fmt::format("{}\n{}", text, explain(*real)) : text;
  }
  const auto why = [&](const GemmPlan& plan) -> std::string {
    if (const auto miss = kernels_.miss(plan.kernel())) return *miss;
    return "nothing that would bring its matrices there can run";
  };
  const std::shared_ptr<const PlannedRoute> served = route(problem);
  const GemmPlan& plan = served->route.plan;
  std::string text = tilewright::explain(ranked(problem), plan.kernel(), why);
  if (checks_kernels_ && plan.profile == &profile_) {
    text +=
        "\n  its profile was not tuned under this driver: its kernels are verified at their first use";
  }
  return text;
}

std::vector<std::string> Library::State::kernels_for(const GemmProblem& problem) {
  if (problem.complex) {
    const std::size_t largest = temporaries_.largest_buffer();
    const ComplexAround around = complex_around(problem, largest);
    std::vector<std::string> names;
    for (const ComplexKernel kernel : around.before) names.push_back(name_of(kernel));
    if (const std::optional<GemmProblem> real = real_twin(problem, largest)) {
      for (std::string& name : kernels_for(*real)) names.push_back(std::move(name));
    }
    for (const ComplexKernel kernel : around.after) names.push_back(name_of(kernel));
    return names;
  }
  std::vector<std::string> names;
  for (const LoadedKernel* kernel : route(problem)->route.in_order()) {
    names.push_back(kernel->record().name);
  }
  return names;
}

std::string Library::State::explain_all(const GemmProblem& problem) {
  Explanation explanation;
  explain_product(problem, explanation, temporaries_.largest_buffer());
  if (explanation.problem.complex) return explanation.complex + "\n";
  explanation.device = device_.identity.name;
  if (checks_kernels_) explanation.device += ", kernels of the profile verified at their first use";
  explanation.built = true;
  explanation.kernels = product_kernels(profiles_, problem.precision);
  explanation.candidates = candidates_of(ranked(explanation.problem),
                                         [&](const GemmPlan& plan) -> std::optional<std::string> {
                                           std::string failures;
                                           const auto load = [&](const KernelRecord& record) {
                                             return kernels_.load(record, failures);
                                           };
                                           if (load_route(plan, load)) return std::nullopt;
                                           return failures;
                                         });
  return to_table(explanation);
}

}  // namespace tilewright
