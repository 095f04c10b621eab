// Expresses a complex product as a real product.
//
// A complex matrix in memory is a real matrix with rows of twice the length, in which real and
// imaginary parts alternate. So kernels for real numbers can compute complex products, with as many
// multiply-adds as four real products (4-multiply form), once one operand has been converted to
// another form in a pass over it. There are three ways with the same amount of arithmetic:
//
//   kExpandB  C (m x 2n) = A (m x 2k) B' (2k x 2n), where B' contains, for each b, the 2 x 2 matrix
//             of the multiplication by b. The real product writes C itself if alpha and beta are
//             real.
//   kExpandA  C' (2m x n) = A' (2m x 2k) B (2k x n), with real parts in even rows of C'
//   kSplit    P (2m x 2n) = A (2m x k) B (k x 2n): all products of parts, which C adds up
//
// In "A (m x 2k)" the parts alternate along k, in "A (2m x k)" along m. A is stored in one of these
// forms, depending on whether it is transposed; splitting each of its rows into a row of real parts
// and a row of imaginary parts gives the other form. The same holds for B.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

// The three ways described above.
enum class ComplexForm { kExpandB, kExpandA, kSplit };

// How an operand of a complex product is converted before the product of real matrices.
enum class Conversion {
  kNone,   // not at all: it is read in place
  kSplit,  // each stored row becomes a row of real parts and a row of imaginary parts
  // Each stored row becomes two rows of complex numbers: first w, then sign i w, where w is the
  // element or its conjugate.
  kExpand,
};

// One operand and its conversion.
struct ComplexOperand {
  Conversion conversion = Conversion::kNone;
  std::int64_t rows = 0;     // as stored, row-major
  std::int64_t columns = 0;  // complex numbers
  bool conjugate = false;    // kExpand: w is the conjugate of the element
  double sign = 1.0;         // kExpand

  // True if the conversion is the same, regardless of the extents.
  bool converts_as(const ComplexOperand& other) const {
    return conversion == other.conversion && conjugate == other.conjugate && sign == other.sign;
  }
  // Extents of the matrix that the real product reads.
  std::int64_t real_rows() const { return conversion == Conversion::kNone ? rows : 2 * rows; }
  std::int64_t real_columns() const {
    return conversion == Conversion::kSplit ? columns : 2 * columns;
  }
};

// The steps of a complex product.
struct ComplexSteps {
  ComplexForm form = ComplexForm::kExpandB;
  ComplexOperand a;
  ComplexOperand b;
  GemmShape real;  // shape of the real product, which has the op of the complex one
  // A separate kernel computes C from the result of the real product and applies alpha and beta.
  bool combines = false;
  double sign_a = 1.0;  // -1: op(A) is conjugated
  double sign_b = 1.0;
};

// The forms in order of the memory traffic that they add to the real product if alpha and beta are
// real, smallest first; equal ones in the order above.
std::array<ComplexForm, 3> complex_forms(Op op, const GemmShape& shape);

// The steps for a problem, which must be complex and read its operands, in the given form.
ComplexSteps complex_steps(const GemmProblem& problem, ComplexForm form);

// Describes the steps in a sentence.
std::string to_text(const ComplexSteps& steps);

}  // namespace tilewright
