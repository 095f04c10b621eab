// What does a plan want of its operands, and is what it is given that?
#pragma once

#include "runtime/api/planned_gemm.hpp"

namespace tilewright {

inline char name_of(Operand operand) {
  return operand == Operand::kA ? 'A' : 'B';
}

// Is the caller's operand the left factor of the row-major product?
inline bool is_left(const GemmCall& call, Operand operand) {
  return (operand == Operand::kA) == (call.order == Order::kRowMajor);
}

// One factor of a plan's row-major product.
struct Factor {
  const Storage& storage;        // as the kernel wants it
  std::int64_t rows;             // without padding
  std::int64_t columns;          // likewise
  LoadedKernel* pack = nullptr;  // null: it is read where it lies
};

// Of a plan that computes, which must outlive it.
Factor factor_of(const PlannedGemm& planned, bool left);

// How a factor of complex numbers is brought to the real product; null: it is of real ones.
const ComplexOperand* complex_operand(const PlannedGemm& planned, bool left);
inline bool is_converted(const ComplexOperand* complex) {
  return complex != nullptr && complex->conversion != Conversion::kNone;
}
// Reals that an element of the call has.
inline std::size_t reals_of(const PlannedGemm& planned) {
  return is_complex(planned.call.type) ? 2 : 1;
}

OperandNeeds needs_of(const PlannedGemm& planned, Operand operand);

// Kernels count on a matrix to lie as aligned as it was planned: the caller's operand, or C. Throw
// Error TW_WRONG_LAYOUT.
void check_factor_alignment(const PlannedGemm& planned, Operand operand, const Matrix& matrix);
void check_c_alignment(const PlannedGemm& planned, const Matrix& c, bool reads_c);

// Throws Error unless a packed matrix (null: moved from) is what the plan wants for the operand.
void check_packed(const PlannedGemm& planned, Operand operand, const PackedStorage* packed);

// What products of complex numbers use of the host.
ComplexHost complex_host(
    PlanHost& host,
    std::function<cl::Event(const GemmProblem&, const std::vector<cl::Event>&)> multiply);

// Memory for a packed matrix; where there is none, what the host's temporaries keep is freed first.
// Throws Error.
cl::Memory allocate_packed(PlanHost& host, const Storage& storage);

// Enqueues packing; throws Error if that is refused.
cl::Event enqueue_pack(PlanHost& host, const cl::CommandQueue& queue, LoadedKernel& kernel,
                       const PackProblem& problem, const std::vector<cl::Event>& wait_list);

}  // namespace tilewright
