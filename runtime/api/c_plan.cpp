// The C API for plans (create, pack, execute): a thin layer over Plan.
#include <tilewright/complex.h>
#include <tilewright/double.h>
#include <tilewright/half.h>
#include <tilewright/plan.hpp>

#include "runtime/api/c_api_util.hpp"

struct tw_plan {
  tilewright::Plan plan;
};

struct tw_packed {
  tilewright::PackedMatrix matrix;
};

using namespace tilewright;

namespace {

GemmOperand to_operand(cl_mem buffer, size_t offset, size_t ld, const tw_packed* packed) {
  if (packed != nullptr) return packed->matrix;
  return to_matrix(buffer, offset, ld);
}

tw_status pack(Operand operand, const tw_plan* plan, cl_command_queue queue, const cl_mem matrix,
               size_t offset, size_t ld, cl_mem into, size_t offset_into, cl_uint num_wait,
               const cl_event* wait, tw_packed** out, cl_event* event) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(plan != nullptr, "the plan is null");
    const bool a = operand == Operand::kA;
    const std::vector<cl::Event> wait_list = make_wait_list(num_wait, wait);
    const Matrix from = to_matrix(matrix, offset, ld);
    const auto on = retained<cl::CommandQueue>(queue);
    const Plan& with = plan->plan;
    const auto packed = [&] {
      if (into == nullptr) {
        return a ? with.pack_a(on, from, wait_list) : with.pack_b(on, from, wait_list);
      }
      const PackInto place{retained<cl::Buffer>(into), offset_into};
      return a ? with.pack_a(on, from, place, wait_list) : with.pack_b(on, from, place, wait_list);
    };
    *out = new tw_packed{packed()};
    release_to_caller((*out)->matrix.ready(), event);
  });
}

tw_status create(tw_library* library, const GemmCall& call, const Matrix& a, const Matrix& b,
                 const Matrix& c, tw_plan** out) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(library != nullptr, "the library is null");
    *out = new tw_plan{library->library.plan(call, a, b, c)};
  });
}

}  // namespace

#define TW_PLAN_CREATE(name, Scalar, type)                                                        \
  tw_status name(tw_library* library, tw_layout layout, tw_transpose trans_a,                     \
                 tw_transpose trans_b, size_t m, size_t n, size_t k, size_t offset_a, size_t lda, \
                 size_t offset_b, size_t ldb, Scalar beta, size_t offset_c, size_t ldc,           \
                 tw_plan** out) {                                                                 \
    const auto call =                                                                             \
        make_gemm_call(layout, trans_a, trans_b, m, n, k, 1.0, to_scalar(beta), type);            \
    return create(library, call, {{}, offset_a, lda}, {{}, offset_b, ldb}, {{}, offset_c, ldc},   \
                  out);                                                                           \
  }

TW_PLAN_CREATE(tw_plan_create, float, ElementType::kFloat)
TW_PLAN_CREATE(tw_dplan_create, double, ElementType::kDouble)
TW_PLAN_CREATE(tw_hplan_create, float, ElementType::kHalf)
TW_PLAN_CREATE(tw_cplan_create, cl_float2, ElementType::kComplexFloat)
TW_PLAN_CREATE(tw_zplan_create, cl_double2, ElementType::kComplexDouble)
#undef TW_PLAN_CREATE

void tw_plan_free(tw_plan* plan) {
  delete plan;
}

const char* tw_plan_kernel(const tw_plan* plan) {
  return plan == nullptr ? "" : plan->plan.kernel().c_str();
}

const char* tw_plan_reason(const tw_plan* plan) {
  return plan == nullptr ? "" : plan->plan.reason().c_str();
}

size_t tw_plan_packed_a_bytes(const tw_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.needs_a().bytes;
}

size_t tw_plan_packed_b_bytes(const tw_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.needs_b().bytes;
}

int tw_plan_packed_a_is_image(const tw_plan* plan) {
  return plan != nullptr && plan->plan.needs_a().image ? 1 : 0;
}

int tw_plan_packed_b_is_image(const tw_plan* plan) {
  return plan != nullptr && plan->plan.needs_b().image ? 1 : 0;
}

size_t tw_plan_workspace_bytes(const tw_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.workspace_bytes();
}

tw_status tw_pack_a(const tw_plan* plan, cl_command_queue queue, cl_mem a, size_t offset_a,
                    size_t lda, cl_mem into, size_t offset_into, cl_uint num_wait,
                    const cl_event* wait, tw_packed** out, cl_event* event) {
  return pack(Operand::kA, plan, queue, a, offset_a, lda, into, offset_into, num_wait, wait, out,
              event);
}

tw_status tw_pack_b(const tw_plan* plan, cl_command_queue queue, cl_mem b, size_t offset_b,
                    size_t ldb, cl_mem into, size_t offset_into, cl_uint num_wait,
                    const cl_event* wait, tw_packed** out, cl_event* event) {
  return pack(Operand::kB, plan, queue, b, offset_b, ldb, into, offset_into, num_wait, wait, out,
              event);
}

void tw_packed_free(tw_packed* packed) {
  delete packed;
}

// Defines both execute functions for one type of scalars.
#define TW_EXECUTE(name, Scalar)                                                                  \
  tw_status name##_in(const tw_plan* plan, cl_command_queue queue, Scalar alpha, cl_mem a,        \
                      size_t offset_a, size_t lda, const tw_packed* packed_a, cl_mem b,           \
                      size_t offset_b, size_t ldb, const tw_packed* packed_b, Scalar beta,        \
                      cl_mem c, size_t offset_c, size_t ldc, cl_mem workspace,                    \
                      size_t offset_workspace, cl_uint num_wait, const cl_event* wait,            \
                      cl_event* event) {                                                          \
    return guarded([&] {                                                                          \
      require(plan != nullptr, "the plan is null");                                               \
      const std::vector<cl::Event> wait_list = make_wait_list(num_wait, wait);                    \
      release_to_caller(                                                                          \
          plan->plan.execute(retained<cl::CommandQueue>(queue),                                   \
                             to_operand(a, offset_a, lda, packed_a),                              \
                             to_operand(b, offset_b, ldb, packed_b), to_matrix(c, offset_c, ldc), \
                             to_scalar(alpha), to_scalar(beta), wait_list,                        \
                             {retained<cl::Buffer>(workspace), offset_workspace}),                \
          event);                                                                                 \
    });                                                                                           \
  }                                                                                               \
                                                                                                  \
  tw_status name(const tw_plan* plan, cl_command_queue queue, Scalar alpha, cl_mem a,             \
                 size_t offset_a, size_t lda, const tw_packed* packed_a, cl_mem b,                \
                 size_t offset_b, size_t ldb, const tw_packed* packed_b, Scalar beta, cl_mem c,   \
                 size_t offset_c, size_t ldc, cl_uint num_wait, const cl_event* wait,             \
                 cl_event* event) {                                                               \
    return name##_in(plan, queue, alpha, a, offset_a, lda, packed_a, b, offset_b, ldb, packed_b,  \
                     beta, c, offset_c, ldc, nullptr, 0, num_wait, wait, event);                  \
  }

TW_EXECUTE(tw_execute, float)
TW_EXECUTE(tw_dexecute, double)
TW_EXECUTE(tw_cexecute, cl_float2)
TW_EXECUTE(tw_zexecute, cl_double2)
#undef TW_EXECUTE
