// The C interface of plans: create, pack, execute.
#include <tilewright/tilewright.h>
#include "runtime/api/plan.hpp"

#include "runtime/api/c_arguments.hpp"
#include "runtime/api/c_call.hpp"

struct tw_plan {
  tilewright::Plan plan;
  tilewright::Matrices dense;  // leading dimensions of matrices without gaps
};

struct tw_packed {
  tilewright::PackedMatrix matrix;
};

using namespace tilewright;

namespace {

GemmOperand to_operand(const char* name, const tw_matrix* matrix, size_t dense_ld) {
  if (matrix != nullptr && matrix->packed != nullptr) return GemmOperand(matrix->packed->matrix);
  return to_matrix(name, matrix, dense_ld);
}

OperandNeeds needs(const tw_plan* plan, tw_operand operand) {
  const bool is_known = operand == TW_OPERAND_A || operand == TW_OPERAND_B;
  if (plan == nullptr || !is_known) return {};
  return plan->plan.needs(operand == TW_OPERAND_A ? Operand::kA : Operand::kB);
}

}  // namespace

tw_status tw_plan_create(tw_library* library, const tw_gemm_desc* desc, const tw_matrix* a,
                         const tw_matrix* b, const tw_matrix* c, tw_plan** out) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(library != nullptr, "the library is null");
    const GemmCall call = to_gemm_call(read_desc_of_one(desc));
    const Matrices given = to_matrices(call, a, b, c);
    *out =
        new tw_plan{Plan(library->library, call, given.a, given.b, given.c), dense_matrices(call)};
  });
}

void tw_plan_free(tw_plan* plan) {
  delete plan;
}

const char* tw_plan_kernel(const tw_plan* plan) {
  return plan == nullptr ? "" : plan->plan.kernel().c_str();
}

const char* tw_plan_reason(const tw_plan* plan) {
  return plan == nullptr ? "" : plan->plan.reason().c_str();
}

size_t tw_plan_packed_bytes(const tw_plan* plan, tw_operand operand) {
  return needs(plan, operand).bytes;
}

int tw_plan_packed_is_image(const tw_plan* plan, tw_operand operand) {
  return needs(plan, operand).image ? 1 : 0;
}

size_t tw_plan_workspace_bytes(const tw_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.workspace_bytes();
}

tw_status tw_pack(const tw_plan* plan, cl_command_queue queue, tw_operand operand,
                  const tw_matrix* matrix, const tw_memory* into, cl_uint num_wait,
                  const cl_event* wait, tw_packed** out, cl_event* event) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(plan != nullptr, "the plan is null");
    const bool is_a = operand == TW_OPERAND_A;
    require(is_a || operand == TW_OPERAND_B, "operand is not a tw_operand");
    const std::vector<cl::Event> wait_list = make_wait_list(num_wait, wait);
    const Matrix from = to_matrix("the matrix", matrix, is_a ? plan->dense.a.ld : plan->dense.b.ld);
    *out = new tw_packed{plan->plan.pack(is_a ? Operand::kA : Operand::kB,
                                         retained<cl::CommandQueue>(queue), from, wait_list,
                                         to_workspace(into))};
    release_to_caller((*out)->matrix.ready, event);
  });
}

void tw_packed_free(tw_packed* packed) {
  delete packed;
}

tw_status tw_execute(const tw_plan* plan, cl_command_queue queue, tw_scalar alpha,
                     const tw_matrix* a, const tw_matrix* b, tw_scalar beta, const tw_matrix* c,
                     const tw_memory* workspace, cl_uint num_wait, const cl_event* wait,
                     cl_event* event) {
  return guarded([&] {
    require(plan != nullptr, "the plan is null");
    const std::vector<cl::Event> wait_list = make_wait_list(num_wait, wait);
    release_to_caller(plan->plan.execute(
                          retained<cl::CommandQueue>(queue), to_operand("A", a, plan->dense.a.ld),
                          to_operand("B", b, plan->dense.b.ld), to_matrix("C", c, plan->dense.c.ld),
                          to_scalar(alpha), to_scalar(beta), wait_list, to_workspace(workspace)),
                      event);
  });
}
