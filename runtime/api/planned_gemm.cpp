#include "runtime/api/planned_gemm.hpp"

#include <utility>

#include "runtime/api/moved_from.hpp"
#include "runtime/api/plan_operands.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/call/operand_check.hpp"

namespace tilewright {
namespace {

constexpr const char* kPlan = "plan";

// True if the event completed without error. If packing failed, commands that wait for it fail,
// too.
bool is_complete(const cl::Event& event) {
  cl_int code = CL_SUCCESS;
  return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(&code) == CL_COMPLETE &&
         code == CL_SUCCESS;
}

// The caller's memory for the temporary between the product and C.
MatrixArgument workspace_argument(const PlannedGemm& planned, const Workspace& workspace,
                                  cl_context context) {
  const std::optional<Storage>& between = planned.route().storage.between;
  if (workspace.buffer() == nullptr || !between) return {};
  const std::size_t element_bytes = bytes_per_element(between->precision);
  check_caller_memory(workspace_memory(), workspace.buffer, workspace.offset, between->elements,
                      element_bytes, context);
  return {workspace.buffer(), workspace.offset / element_bytes, between->ld};
}

}  // namespace

const std::string& Plan::kernel() const {
  return require_state(planned_, kPlan).planned->kernel;
}

const std::string& Plan::reason() const {
  return require_state(planned_, kPlan).planned->reason;
}

OperandNeeds Plan::needs_a() const {
  return operand_needs(require_state(planned_, kPlan), Operand::kA);
}

OperandNeeds Plan::needs_b() const {
  return operand_needs(require_state(planned_, kPlan), Operand::kB);
}

std::size_t Plan::workspace_bytes() const {
  const std::optional<Storage>& between = require_state(planned_, kPlan).route().storage.between;
  return between ? temporary_extents(*between).bytes : 0;
}

namespace {

// Enqueues the commands of the route, surrounded by the conversions of a complex product.
cl::Event enqueue_planned(const PlannedGemm& planned, const cl::CommandQueue& queue,
                          const GemmProblem& problem, const EnqueueOptions& enqueue_options,
                          const std::vector<cl::Event>& wait_list) {
  PlanHost& host = *planned.host;
  const auto multiply = [&](const GemmProblem& real, const std::vector<cl::Event>& waits) {
    return enqueue(host.executor(), &host.temporaries(), queue, planned.route(), real, waits,
                   enqueue_options);
  };
  if (!planned.complex) return multiply(problem, wait_list);
  ComplexSteps steps = *planned.complex;
  steps.combines = steps.combines || !problem.complex->has_real_scalars();
  ConvertedOperands given;
  if (enqueue_options.packed_a) given.a = problem.a;
  if (enqueue_options.packed_b) given.b = problem.b;
  return enqueue_steps(complex_host(host, multiply), queue, problem, steps, given, wait_list);
}

}  // namespace

cl::Event Plan::execute(const cl::CommandQueue& queue, const GemmOperand& a, const GemmOperand& b,
                        const Matrix& c, std::complex<double> alpha, std::complex<double> beta,
                        const std::vector<cl::Event>& wait_list, const Workspace& workspace) const {
  const PlannedGemm& planned = require_state(planned_, kPlan);
  PlanHost& host = *planned.host;
  GemmCall call = planned.call;
  call.alpha = alpha;
  call.beta = beta;
  const std::pair<Operand, const GemmOperand*> operands[] = {{Operand::kA, &a}, {Operand::kB, &b}};
  for (const auto& [operand, given] : operands) {
    if (given->is_packed_) check_packed(planned, operand, given->packed_.get());
  }
  const Matrix& matrix_a = a.is_packed_ ? planned.a : a.matrix_;
  const Matrix& matrix_b = b.is_packed_ ? planned.b : b.matrix_;
  // Then A and B are not read, and any kernel for such a call can be used.
  if (!planned.computes || !reads_operands(call)) {
    return host.gemm(queue, call, matrix_a, matrix_b, c, wait_list);
  }
  GemmProblem problem = resolve(call, matrix_a, matrix_b, c);
  EnqueueOptions enqueue_options;
  const cl_context context = host.executor().context()();
  std::vector<cl::Event> packing;
  for (const auto& [operand, given] : operands) {
    if (!given->is_packed_) {
      check_matrix(call, operand_letter(operand), given->matrix_, context);
      check_factor_alignment(planned, operand, given->matrix_);
      continue;
    }
    const PackedStorage& packed = *given->packed_;
    (packed.left ? problem.a : problem.b) = packed.argument();
    (packed.left ? enqueue_options.packed_a : enqueue_options.packed_b) = true;
    if (!is_complete(packed.ready)) packing.push_back(packed.ready);
  }
  check_matrix(call, 'C', c, context);
  check_c_alignment(planned, c, problem.beta != 0.0);
  enqueue_options.workspace = workspace_argument(planned, workspace, context);
  host.check(queue, wait_list);
  if (!packing.empty()) packing.insert(packing.end(), wait_list.begin(), wait_list.end());
  try {
    return enqueue_planned(planned, queue, problem, enqueue_options,
                           packing.empty() ? wait_list : packing);
  } catch (const Error& error) {
    // Another plan may need less memory.
    if (!lacks_memory(error.opencl_code()) || enqueue_options.packed_a || enqueue_options.packed_b)
      throw;
    // Commands that were enqueued before the failure may write C.
    std::vector<cl::Event> waits(wait_list.begin(), wait_list.end());
    waits.push_back(host.enqueue_marker(queue, {}));
    return host.gemm(queue, call, matrix_a, matrix_b, c, waits);
  }
}

}  // namespace tilewright
