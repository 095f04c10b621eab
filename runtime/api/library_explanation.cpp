// Explains how an open library would compute a call.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "runtime/api/library.hpp"

namespace tilewright {
namespace {

// Failures are separate lines.
std::string first_line(const std::string& failures) {
  const std::size_t begin = failures.find_first_not_of('\n');
  return begin == std::string::npos ? "one of its kernels cannot be loaded"
                                    : failures.substr(begin, failures.find('\n', begin) - begin);
}

}  // namespace

std::string Library::explain(const GemmCall& call, const Matrix& a, const Matrix& b,
                             const Matrix& c) {
  const GemmProblem problem = resolve(call, a, b, c);
  if (problem.shape.m == 0 || problem.shape.n == 0) return "nothing to do, because C is empty\n";
  require_same_process();
  const auto load_failure = [&](const GemmPlan& plan) -> std::optional<std::string> {
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
  return explanation.problem.complex ? explanation.complex + "\n" : to_table(explanation, true);
}

std::string Library::explain(const GemmCall& call) {
  const Matrices dense = dense_matrices(call);
  return explain(call, dense.a, dense.b, dense.c);
}

std::vector<std::string> Library::kernels_for(const GemmCall& call, const Matrix& a,
                                              const Matrix& b, const Matrix& c) {
  const GemmProblem problem = resolve(call, a, b, c);
  if (problem.shape.m == 0 || problem.shape.n == 0) return {};
  return kernels_for(problem);
}

std::vector<std::string> Library::kernels_for(const GemmCall& call) {
  const Matrices dense = dense_matrices(call);
  return kernels_for(call, dense.a, dense.b, dense.c);
}

std::vector<std::string> Library::kernels_for(const GemmProblem& problem) {
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
