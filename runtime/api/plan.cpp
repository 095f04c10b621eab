#include "runtime/api/plan.hpp"

#include <algorithm>
#include <utility>

#include "profiles/round_up.hpp"
#include "runtime/api/plan_operands.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/call/operand_check.hpp"

namespace tilewright {
namespace {

// True if the event completed without error. If packing failed, commands that wait for it fail,
// too.
bool is_complete(const cl::Event& event) {
  cl_int code = CL_SUCCESS;
  return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(&code) == CL_COMPLETE &&
         code == CL_SUCCESS;
}

// Places the temporaries of execute() in a workspace of the caller, which may be null: those that
// are not images, of the operands that are not packed yet, and of real products.
struct PlacedTemporaries {
  std::size_t bytes = 0;
  std::size_t element_bytes = 1;  // of the widest element
};
PlacedTemporaries place_temporaries(const Plan& plan, const Workspace& workspace,
                                    EnqueueOptions& enqueue_options) {
  const OperandStorage& storage = plan.route().storage;
  PlacedTemporaries placed;
  const auto place = [&](const Storage& temporary, MatrixArgument& at) {
    const std::size_t start = round_up(placed.bytes, kMemoryMultiple);
    placed.bytes = start + temporary_extents(temporary).bytes;
    const std::size_t element_bytes = bytes_per_element(temporary.precision);
    placed.element_bytes = std::max(placed.element_bytes, element_bytes);
    at = {workspace.buffer(), (workspace.offset + start) / element_bytes, temporary.ld};
  };
  const auto packs = [&](CallStep step, const Storage& operand) {
    return !plan.complex && plan.route().kernels[step] != nullptr && !operand.image;
  };
  if (storage.between) place(*storage.between, enqueue_options.workspace);
  if (packs(CallStep::kPackA, storage.a) && !enqueue_options.packed_a) {
    place(storage.a, enqueue_options.pack_a_to);
  }
  if (packs(CallStep::kPackB, storage.b) && !enqueue_options.packed_b) {
    place(storage.b, enqueue_options.pack_b_to);
  }
  return placed;
}

// Enqueues the commands of the route, surrounded by the conversions of a complex product.
cl::Event enqueue_planned(const Plan& plan, const cl::CommandQueue& queue,
                          const GemmProblem& problem, const EnqueueOptions& enqueue_options,
                          const std::vector<cl::Event>& wait_list) {
  Library& library = *plan.library;
  const auto multiply = [&](const GemmProblem& real, const std::vector<cl::Event>& waits) {
    return enqueue(library.executor(), &library.temporaries(), queue, plan.route(), real, waits,
                   enqueue_options);
  };
  if (!plan.complex) return multiply(problem, wait_list);
  ComplexSteps steps = *plan.complex;
  steps.combines = steps.combines || !problem.complex->has_real_scalars();
  ConvertedOperands given;
  if (enqueue_options.packed_a) given.a = problem.a;
  if (enqueue_options.packed_b) given.b = problem.b;
  return enqueue_steps(complex_host(library, multiply), queue, problem, steps, given, wait_list);
}

}  // namespace

Plan::Plan(LibraryHandle opened, const GemmCall& given, const Matrix& a, const Matrix& b,
           const Matrix& c)
    : library(std::move(opened)),
      call(given),
      planned_a{{}, a.offset, a.ld},
      planned_b{{}, b.offset, b.ld} {
  library->require_same_process();
  call.alpha = 1.0;  // each call of execute() has its own alpha
  problem = resolve(call, a, b, c);
  computes = problem.shape.m > 0 && problem.shape.n > 0 && problem.shape.k > 0;
  if (!computes) {
    planned = std::make_shared<const PlannedRoute>(
        PlannedRoute{{}, "", "there is no product: C is empty, or k is 0"});
    return;
  }
  if (!problem.complex) {
    planned = library->route(problem, true);
    return;
  }
  library->load_complex_kernels(problem);
  complex = ranked_steps(problem, library->temporaries().largest_buffer()).front();
  problem = real_problem(problem, *complex);
  PlannedRoute with_reason = *library->route(problem, true);
  with_reason.reason = to_text(*complex) + "; " + with_reason.reason;
  planned = std::make_shared<const PlannedRoute>(std::move(with_reason));
}

std::size_t Plan::workspace_bytes() const {
  EnqueueOptions none_packed;
  return place_temporaries(*this, {}, none_packed).bytes;
}

cl::Event Plan::execute(const cl::CommandQueue& queue, const GemmOperand& a, const GemmOperand& b,
                        const Matrix& c, std::complex<double> alpha, std::complex<double> beta,
                        const std::vector<cl::Event>& wait_list, const Workspace& workspace) const {
  GemmCall scaled = call;
  scaled.alpha = alpha;
  scaled.beta = beta;
  const std::pair<Operand, const GemmOperand*> operands[] = {{Operand::kA, &a}, {Operand::kB, &b}};
  for (const auto& [operand, given] : operands) {
    if (given->packed != nullptr) check_packed(*this, operand, *given->packed);
  }
  const Matrix& matrix_a = a.packed != nullptr ? planned_a : a.matrix;
  const Matrix& matrix_b = b.packed != nullptr ? planned_b : b.matrix;
  // Then A and B are not read, and any kernel for such a call can be used.
  if (!computes || !reads_operands(scaled)) {
    return library->gemm(queue, scaled, matrix_a, matrix_b, c, wait_list);
  }
  GemmProblem product = resolve(scaled, matrix_a, matrix_b, c);
  EnqueueOptions enqueue_options;
  const cl_context context = library->executor().context()();
  std::vector<cl::Event> packing;
  for (const auto& [operand, given] : operands) {
    if (given->packed == nullptr) {
      check_matrix(scaled, operand_letter(operand), given->matrix, context);
      check_factor_alignment(*this, operand, given->matrix);
      continue;
    }
    const PackedMatrix& packed = *given->packed;
    (packed.left ? product.a : product.b) = packed.argument();
    (packed.left ? enqueue_options.packed_a : enqueue_options.packed_b) = true;
    if (!is_complete(packed.ready)) packing.push_back(packed.ready);
  }
  check_matrix(scaled, 'C', c, context);
  check_c_alignment(*this, c, product.beta != 0.0);
  if (workspace.buffer() != nullptr) {
    const PlacedTemporaries placed = place_temporaries(*this, workspace, enqueue_options);
    if (placed.bytes > 0) {
      check_caller_memory(workspace_memory(), workspace.buffer, workspace.offset, placed.bytes,
                          placed.element_bytes, context);
    }
  }
  library->check(queue, wait_list);
  if (!packing.empty()) packing.insert(packing.end(), wait_list.begin(), wait_list.end());
  try {
    return enqueue_planned(*this, queue, product, enqueue_options,
                           packing.empty() ? wait_list : packing);
  } catch (const Error& error) {
    // Another plan may need less memory.
    if (!lacks_memory(error.opencl_code()) || enqueue_options.packed_a || enqueue_options.packed_b)
      throw;
    // Commands that were enqueued before the failure may write C.
    std::vector<cl::Event> waits(wait_list.begin(), wait_list.end());
    waits.push_back(library->enqueue_marker(queue, {}));
    return library->gemm(queue, scaled, matrix_a, matrix_b, c, waits);
  }
}

}  // namespace tilewright
