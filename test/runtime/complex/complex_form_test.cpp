// Tests that every form of a complex product, computed on the host as it is documented, gives the
// complex product.
#include "runtime/complex/complex_form.hpp"

#include <complex>
#include <random>
#include <vector>

#include "catch.hpp"
#include "runtime/complex/complex_product.hpp"

namespace tilewright {
namespace {

using Complex = std::complex<double>;

template <class Element>
struct Rows {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<Element> data = std::vector<Element>(static_cast<std::size_t>(rows * columns));
  Element& at(std::int64_t i, std::int64_t j) {
    return data[static_cast<std::size_t>(i * columns + j)];
  }
  Element at(std::int64_t i, std::int64_t j) const {
    return data[static_cast<std::size_t>(i * columns + j)];
  }
};

Rows<Complex> random_rows(std::int64_t rows, std::int64_t columns, std::mt19937& random) {
  Rows<Complex> matrix{rows, columns};
  std::uniform_real_distribution<double> number(-1, 1);
  for (Complex& element : matrix.data) element = {number(random), number(random)};
  return matrix;
}

Rows<double> converted(const ComplexOperand& operand, const Rows<Complex>& x) {
  Rows<double> y{operand.real_rows(), operand.real_columns()};
  const auto set = [&](std::int64_t i, std::int64_t j, const Complex& value) {
    y.at(i, 2 * j) = value.real();
    y.at(i, 2 * j + 1) = value.imag();
  };
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t j = 0; j < x.columns; ++j) {
      const Complex value = x.at(i, j);
      const Complex w = operand.conjugate ? std::conj(value) : value;
      switch (operand.conversion) {
        case Conversion::kNone:
          set(i, j, value);
          break;
        case Conversion::kSplit:
          y.at(2 * i, j) = value.real();
          y.at(2 * i + 1, j) = value.imag();
          break;
        case Conversion::kExpand:
          set(2 * i, j, w);
          set(2 * i + 1, j, operand.sign * Complex(0, 1) * w);
          break;
      }
    }
  }
  return y;
}

// An element of C, computed as the form is documented.
Complex element(const ComplexSteps& steps, const Rows<double>& r, std::int64_t i, std::int64_t j) {
  switch (steps.form) {
    case ComplexForm::kExpandB:
      return {r.at(i, 2 * j), r.at(i, 2 * j + 1)};
    case ComplexForm::kExpandA:
      return {r.at(2 * i, j), r.at(2 * i + 1, j)};
    case ComplexForm::kSplit:
      break;
  }
  return {r.at(2 * i, 2 * j) - steps.sign_a * steps.sign_b * r.at(2 * i + 1, 2 * j + 1),
          steps.sign_b * r.at(2 * i, 2 * j + 1) + steps.sign_a * r.at(2 * i + 1, 2 * j)};
}

bool transposed_a(Op op) {
  return op == Op::kTN || op == Op::kTT;
}
bool transposed_b(Op op) {
  return op == Op::kNT || op == Op::kTT;
}

double largest_error(const GemmProblem& problem, ComplexForm form, std::mt19937& random) {
  const GemmShape& s = problem.shape;
  const bool ta = transposed_a(problem.op);
  const bool tb = transposed_b(problem.op);
  const Rows<Complex> a = random_rows(ta ? s.k : s.m, ta ? s.m : s.k, random);
  const Rows<Complex> b = random_rows(tb ? s.n : s.k, tb ? s.k : s.n, random);
  const ComplexSteps steps = complex_steps(problem, form);
  const Rows<double> x = converted(steps.a, a);
  const Rows<double> y = converted(steps.b, b);
  Rows<double> result{steps.real.m, steps.real.n};
  for (std::int64_t i = 0; i < steps.real.m; ++i) {
    for (std::int64_t j = 0; j < steps.real.n; ++j) {
      for (std::int64_t p = 0; p < steps.real.k; ++p) {
        result.at(i, j) += (ta ? x.at(p, i) : x.at(i, p)) * (tb ? y.at(j, p) : y.at(p, j));
      }
    }
  }
  double largest = 0.0;
  for (std::int64_t i = 0; i < s.m; ++i) {
    for (std::int64_t j = 0; j < s.n; ++j) {
      Complex sum = 0.0;
      for (std::int64_t p = 0; p < s.k; ++p) {
        const Complex left = ta ? a.at(p, i) : a.at(i, p);
        const Complex right = tb ? b.at(j, p) : b.at(p, j);
        sum += (problem.complex->conjugate_a ? std::conj(left) : left) *
               (problem.complex->conjugate_b ? std::conj(right) : right);
      }
      largest = std::max(largest, std::abs(sum - element(steps, result, i, j)));
    }
  }
  return largest;
}

TEST_CASE("complex: every form gives the product, for all transposes and conjugates") {
  std::mt19937 random(1);
  for (const ComplexForm form :
       {ComplexForm::kExpandB, ComplexForm::kExpandA, ComplexForm::kSplit}) {
    for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
      for (const bool conjugate_a : {false, true}) {
        for (const bool conjugate_b : {false, true}) {
          GemmProblem problem;
          problem.op = op;
          problem.shape = {3, 4, 5};
          problem.complex = ComplexPart{1.0, 0.0, conjugate_a, conjugate_b};
          INFO("form " << static_cast<int>(form) << " " << to_text(op) << " " << conjugate_a
                       << conjugate_b);
          CHECK(largest_error(problem, form, random) < 1e-13);
        }
      }
    }
  }
}

TEST_CASE("complex: the larger operand is not converted") {
  // For square products only the transposes decide.
  CHECK(complex_forms(Op::kNN, {100, 100, 100}).front() == ComplexForm::kExpandB);
  CHECK(complex_forms(Op::kNT, {100, 100, 100}).front() == ComplexForm::kExpandB);
  CHECK(complex_forms(Op::kTN, {100, 100, 100}).front() == ComplexForm::kSplit);
  const auto steps = [](Op op, const GemmShape& shape) {
    GemmProblem problem;
    problem.op = op;
    problem.shape = shape;
    problem.complex = ComplexPart{};
    return ranked_steps(problem, kAnyBufferBytes).front();
  };
  // A is large and B narrow, so A is not converted.
  CHECK(steps(Op::kNN, {1000, 1, 1000}).a.conversion == Conversion::kNone);
  CHECK(steps(Op::kTN, {1000, 1, 1000}).a.conversion == Conversion::kNone);
  // B is large and A narrow.
  CHECK(steps(Op::kNN, {1, 1000, 1000}).b.conversion == Conversion::kNone);
  CHECK(steps(Op::kNT, {1, 1000, 1000}).b.conversion == Conversion::kNone);
  CHECK(steps(Op::kNT, {1, 1000, 1000}).form == ComplexForm::kExpandA);
}

TEST_CASE("complex: the best form whose matrices fit into one buffer comes first") {
  GemmProblem problem;
  problem.shape = {90, 100, 100};
  problem.complex = ComplexPart{};
  const auto best = [&](std::uint64_t max_buffer_bytes) {
    return ranked_steps(problem, max_buffer_bytes).front().form;
  };
  CHECK(best(kAnyBufferBytes) == ComplexForm::kExpandB);
  // 200 x 208 floats for the expanded B, 180 x 208 for the result.
  CHECK(best(200 * 208 * 4) == ComplexForm::kExpandB);
  CHECK(best(200 * 208 * 4 - 1) == ComplexForm::kSplit);
  CHECK(best(180 * 208 * 4) == ComplexForm::kSplit);
  CHECK(best(1) == ComplexForm::kExpandB);  // none fits
}

TEST_CASE("complex: with real scalars the real product writes C itself") {
  GemmProblem problem;
  problem.shape = {8, 8, 8};
  problem.a = {nullptr, 3, 8};
  problem.c = {nullptr, 5, 9};
  problem.complex = ComplexPart{2.0, -1.0};
  GemmProblem real = equivalent_real_product(problem).value();
  CHECK((real.alpha == 2.0 && real.beta == -1.0));
  CHECK((real.c.offset == 10 && real.c.ld == 18));
  CHECK((real.a.offset == 6 && real.a.ld == 16));
  CHECK(real.shape == GemmShape{8, 16, 16});
  CHECK_FALSE(real.complex.has_value());
  problem.complex->beta = Complex(0.0, 1.0);
  real = equivalent_real_product(problem).value();
  CHECK((real.alpha == 1.0 && real.beta == 0.0));
  CHECK(real.c.offset == 0);
}

TEST_CASE("complex: a matrix that all products of a batch share is converted once") {
  GemmProblem problem;
  problem.shape = {8, 8, 8};
  problem.complex = ComplexPart{};
  problem.batch = {4, 64, 0, 64};
  const GemmProblem real = equivalent_real_product(problem).value();
  CHECK((real.batch.count == 4 && real.batch.a == 128 && real.batch.b == 0));
  CHECK(real.batch.c == 128);
}

}  // namespace
}  // namespace tilewright
