// The requirements of a plan on its operands, and their checks.
#pragma once

#include "runtime/api/plan.hpp"

namespace tilewright {

// 'A' or 'B', for messages.
inline char operand_letter(Operand operand) {
  return operand == Operand::kA ? 'A' : 'B';
}

// True if the caller's operand is the left factor of the row-major product.
inline bool is_left(const GemmCall& call, Operand operand) {
  return (operand == Operand::kA) == (call.order == Order::kRowMajor);
}

// One factor of a plan's row-major product.
struct Factor {
  const Storage& storage;        // storage that the kernel requires
  std::int64_t rows;             // without padding
  std::int64_t columns;          // without padding
  LoadedKernel* pack = nullptr;  // null: the factor is read in place
};

// `plan` must compute a product, and must outlive the result.
Factor plan_factor(const Plan& plan, bool left);

// How a complex factor is converted for the real product; null for real factors.
const ComplexOperand* complex_operand(const Plan& plan, bool left);
inline bool is_converted(const ComplexOperand* complex) {
  return complex != nullptr && complex->conversion != Conversion::kNone;
}
// Number of reals per element of the call.
inline std::size_t reals_per_element(const Plan& plan) {
  return is_complex(plan.call.type) ? 2 : 1;
}

// Check that the caller's operand, or C, is at least as aligned as planned, because kernels rely on
// it. Throw Error TW_WRONG_LAYOUT.
void check_factor_alignment(const Plan& plan, Operand operand, const Matrix& matrix);
void check_c_alignment(const Plan& plan, const Matrix& c, bool reads_c);

// Throws Error unless the packed matrix is what the plan requires for the operand.
void check_packed(const Plan& plan, Operand operand, const PackedMatrix& packed);

// The part of the library that complex products use.
ComplexHost complex_host(
    Library& library,
    std::function<cl::Event(const GemmProblem&, const std::vector<cl::Event>&)> multiply);

// Allocates memory for a packed matrix. If there is none, frees the unused temporaries of the
// library and tries again. Throws Error.
cl::Memory allocate_packed(Library& library, const Storage& storage);

// Enqueues packing; throws Error if this fails.
cl::Event enqueue_pack(Library& library, const cl::CommandQueue& queue, LoadedKernel& kernel,
                       const PackProblem& problem, const std::vector<cl::Event>& wait_list);

}  // namespace tilewright
