// The requirements of a plan on its operands, and their checks.
#pragma once

#include "runtime/api/planned_gemm.hpp"

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

// `planned` must compute a product, and must outlive the result.
Factor plan_factor(const PlannedGemm& planned, bool left);

// How a complex factor is converted for the real product; null for real factors.
const ComplexOperand* complex_operand(const PlannedGemm& planned, bool left);
inline bool is_converted(const ComplexOperand* complex) {
  return complex != nullptr && complex->conversion != Conversion::kNone;
}
// Number of reals per element of the call.
inline std::size_t reals_per_element(const PlannedGemm& planned) {
  return is_complex(planned.call.type) ? 2 : 1;
}

// The requirements on an operand of the caller's call.
OperandNeeds operand_needs(const PlannedGemm& planned, Operand operand);

// Check that the caller's operand, or C, is at least as aligned as planned, because kernels rely on
// it. Throw Error TW_WRONG_LAYOUT.
void check_factor_alignment(const PlannedGemm& planned, Operand operand, const Matrix& matrix);
void check_c_alignment(const PlannedGemm& planned, const Matrix& c, bool reads_c);

// Throws Error unless the packed matrix (null: moved from) is what the plan requires for the
// operand.
void check_packed(const PlannedGemm& planned, Operand operand, const PackedStorage* packed);

// The part of the host that complex products use.
ComplexHost complex_host(
    PlanHost& host,
    std::function<cl::Event(const GemmProblem&, const std::vector<cl::Event>&)> multiply);

// Allocates memory for a packed matrix. If there is none, frees the unused temporaries of the host
// and tries again. Throws Error.
cl::Memory allocate_packed(PlanHost& host, const Storage& storage);

// Enqueues packing; throws Error if this fails.
cl::Event enqueue_pack(PlanHost& host, const cl::CommandQueue& queue, LoadedKernel& kernel,
                       const PackProblem& problem, const std::vector<cl::Event>& wait_list);

}  // namespace tilewright
