#include "runtime/complex/complex_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilewright {
namespace {

bool a_transposed(Op op) {
  return op_layout_a(op) == Layout::C();
}
bool b_transposed(Op op) {
  return op_layout_b(op) == Layout::C();
}

// Complex numbers that a form reads and writes in addition to the product itself: splitting reads
// and writes each number once; expanding writes two for each, which the product then reads.
double extra_traffic(ComplexForm form, Op op, const GemmShape& shape) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const double split_a = 2 * m * k;
  const double split_b = 2 * k * n;
  switch (form) {
    case ComplexForm::kExpandB:
      return 4 * k * n + (a_transposed(op) ? split_a : 0);
    case ComplexForm::kExpandA:
      return 4 * m * k + (b_transposed(op) ? 0 : split_b) + 2 * m * n;
    case ComplexForm::kSplit:
      return (a_transposed(op) ? 0 : split_a) + (b_transposed(op) ? split_b : 0) + 4 * m * n;
  }
  return 0;
}

// `along_k`: the stored rows run along k. `own` and `other` are -1 if op() of this operand, or of
// the other one, is conjugated.
void expand(ComplexOperand& operand, bool along_k, double own, double other) {
  operand.conversion = Conversion::kExpand;
  operand.conjugate = along_k ? own * other > 0 : own < 0;
  operand.sign = other;
}

}  // namespace

std::array<ComplexForm, 3> complex_forms(Op op, const GemmShape& shape) {
  std::array forms{ComplexForm::kExpandB, ComplexForm::kExpandA, ComplexForm::kSplit};
  std::stable_sort(forms.begin(), forms.end(), [&](ComplexForm a, ComplexForm b) {
    return extra_traffic(a, op, shape) < extra_traffic(b, op, shape);
  });
  return forms;
}

ComplexSteps complex_steps(const GemmProblem& problem, ComplexForm form) {
  const ComplexPart& complex = problem.complex.value();
  const GemmShape& shape = problem.shape;
  const bool a_along_k = !a_transposed(problem.op);
  const bool b_along_k = b_transposed(problem.op);
  ComplexSteps steps;
  steps.form = form;
  steps.sign_a = complex.conjugate_a ? -1.0 : 1.0;
  steps.sign_b = complex.conjugate_b ? -1.0 : 1.0;
  steps.a.rows = a_along_k ? shape.m : shape.k;
  steps.a.columns = a_along_k ? shape.k : shape.m;
  steps.b.rows = b_along_k ? shape.n : shape.k;
  steps.b.columns = b_along_k ? shape.k : shape.n;
  steps.combines = form != ComplexForm::kExpandB || !complex.has_real_scalars();
  switch (form) {
    case ComplexForm::kExpandB:
      if (!a_along_k) steps.a.conversion = Conversion::kSplit;
      expand(steps.b, b_along_k, steps.sign_b, steps.sign_a);
      steps.real = {shape.m, 2 * shape.n, 2 * shape.k};
      break;
    case ComplexForm::kExpandA:
      expand(steps.a, a_along_k, steps.sign_a, steps.sign_b);
      if (!b_along_k) steps.b.conversion = Conversion::kSplit;
      steps.real = {2 * shape.m, shape.n, 2 * shape.k};
      break;
    case ComplexForm::kSplit:
      if (a_along_k) steps.a.conversion = Conversion::kSplit;
      if (b_along_k) steps.b.conversion = Conversion::kSplit;
      steps.real = {2 * shape.m, 2 * shape.n, shape.k};
      break;
  }
  return steps;
}

std::string to_text(const ComplexSteps& steps) {
  static constexpr std::array kDone{"is read in place", "is split into real and imaginary parts",
                                    "is expanded to 2 x 2 matrices"};
  const auto done = [](const ComplexOperand& operand) {
    return kDone.at(static_cast<std::size_t>(operand.conversion));
  };
  return fmt::format("computed as a real product of {}: A {}, B {}, C is {}", to_text(steps.real),
                     done(steps.a), done(steps.b),
                     steps.combines ? "combined from its result" : "written directly");
}

}  // namespace tilewright
