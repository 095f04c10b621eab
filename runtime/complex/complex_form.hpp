// As which real product is a complex one computed?
//
// A matrix of complex numbers in memory is a real one whose rows are twice as long, its real and
// imaginary parts side by side. So kernels for real numbers compute complex products, with as many
// multiply-adds as four real products have (4-multiply form), once one operand is brought into
// another form, which costs a pass over it. There are three ways, equal in arithmetic:
//
//   kExpandB  C (m x 2n) = A (m x 2k) B' (2k x 2n), where B' has for each b the 2 x 2 matrix of
//             multiplying with it. The real product writes C itself, if alpha and beta are real.
//   kExpandA  the columns of C' (2m x n), real parts in even rows, = A' (2m x 2k) B (2k x n)
//   kSplit    P (2m x 2n) = A (2m x k) B (k x 2n): all products of parts, of which C takes sums
//
// "A (m x 2k)" has its parts side by side along k, "A (2m x k)" along m: one of the two is how A
// lies, depending on whether it is transposed; the other is made by splitting it into a row of real
// and a row of imaginary parts for each of its rows. So is B.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

enum class ComplexForm { kExpandB, kExpandA, kSplit };

// What becomes of an operand before the real product.
enum class Conversion {
  kNone,   // it is read where it lies
  kSplit,  // each row as stored becomes a row of real parts and one of imaginary parts
  // Each row as stored becomes two, of complex numbers: first w, then sign i w, where w is the
  // element or its conjugate.
  kExpand,
};

struct ComplexOperand {
  Conversion conversion = Conversion::kNone;
  std::int64_t rows = 0;     // as stored, row by row
  std::int64_t columns = 0;  // complex numbers
  bool conjugate = false;    // kExpand: w is the conjugate
  double sign = 1.0;         // kExpand

  // Is it converted in the same way, whatever its extents?
  bool converts_as(const ComplexOperand& other) const {
    return conversion == other.conversion && conjugate == other.conjugate && sign == other.sign;
  }
  // Of what the real product reads.
  std::int64_t real_rows() const { return conversion == Conversion::kNone ? rows : 2 * rows; }
  std::int64_t real_columns() const {
    return conversion == Conversion::kSplit ? columns : 2 * columns;
  }
};

struct ComplexSteps {
  ComplexForm form = ComplexForm::kExpandB;
  ComplexOperand a;
  ComplexOperand b;
  GemmShape real;  // of the real product, whose op is the complex one's
  // C is made of the real product's result by another kernel, which applies alpha and beta.
  bool combines = false;
  double sign_a = 1.0;  // -1: op(A) is conjugated
  double sign_b = 1.0;
};

// The form that moves the least memory beside the real product, where alpha and beta are real,
// first; equals as above.
std::array<ComplexForm, 3> complex_forms(Op op, const GemmShape& shape);

// How the problem, which must be complex and read its operands, is computed in that form.
ComplexSteps complex_steps(const GemmProblem& problem, ComplexForm form);

// The steps as a sentence, for people.
std::string to_text(const ComplexSteps& steps);

}  // namespace tilewright
