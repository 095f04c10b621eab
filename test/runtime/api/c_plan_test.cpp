// Tests the four steps (plan, pack, execute, free) in the C API.
#include "api/c_open.hpp"
#include "catch.hpp"
#include "deadline.hpp"
#include "out_of_order.hpp"
#include "panel_library.hpp"
#include "session.hpp"

namespace tilewright {
namespace {

constexpr tw_scalar kOne = {1.0, 0.0};
constexpr tw_scalar kZero = {0.0, 0.0};

// A library with the kernels of panels().
struct OpenPanels {
  std::string profile;
  OpenLibrary open;
  explicit OpenPanels(const TestDevice& d)
      : profile(make_profile_text(d, panels())), open(d, options_with_text(profile)) {}
};

tw_plan* make_c_plan(tw_library* library, const BlasCase& test) {
  const tw_gemm_desc desc = to_c(test.call);
  const tw_matrix a = tw_make_matrix(nullptr, test.a.offset, test.a.ld);
  const tw_matrix b = tw_make_matrix(nullptr, test.b.offset, test.b.ld);
  const tw_matrix c = tw_make_matrix(nullptr, test.c.offset, test.c.ld);
  tw_plan* plan = nullptr;
  REQUIRE(tw_plan_create(library, &desc, &a, &b, &c, &plan) == TW_SUCCESS);
  return plan;
}

TEST_CASE(
    "C: weights packed once and multiplied many times, in memory of the library or the caller") {
  const TestDevice d;
  const OpenPanels panels(d);
  const BlasCase first({.m = 13, .n = 9, .k = 21}, 2, 1, 1);
  tw_plan* plan = make_c_plan(panels.open.library, first);
  CHECK(std::string(tw_plan_kernel(plan)) == "panels");
  CHECK(std::string(tw_plan_reason(plan)).find("B is packed first") != std::string::npos);
  CHECK(tw_plan_packed_bytes(plan, TW_OPERAND_A) == 16 * 21 * sizeof(float));
  CHECK(tw_plan_packed_bytes(plan, TW_OPERAND_B) == 21 * 12 * sizeof(float));
  CHECK(tw_plan_packed_is_image(plan, TW_OPERAND_A) == 0);
  CHECK(tw_plan_packed_is_image(plan, TW_OPERAND_B) == 0);
  CHECK(tw_plan_workspace_bytes(plan) == 1408 + 21 * 12 * sizeof(float));
  CHECK(tw_plan_packed_bytes(plan, static_cast<tw_operand>(2)) == 0);

  const Matrix b_matrix = upload(d, first.b);
  const CMatrix b = to_c(b_matrix);
  const cl::Buffer own(d.context, CL_MEM_READ_WRITE,
                       128 + tw_plan_packed_bytes(plan, TW_OPERAND_B));
  const tw_memory in_own = {own(), 128};
  const tw_memory in_none = {nullptr, 0};
  for (const tw_memory* into : {static_cast<const tw_memory*>(nullptr), &in_none, &in_own}) {
    cl::UserEvent gate(d.context);
    const cl_event wait = gate();
    cl_event ready = nullptr;
    tw_packed* packed = nullptr;
    REQUIRE(tw_pack(plan, d.queue(), TW_OPERAND_B, &b, into, 1, &wait, &packed, &ready) ==
            TW_SUCCESS);
    const cl::Event when(ready);
    CHECK(when.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    const tw_matrix weights = tw_make_packed_matrix(packed);
    for (const float beta : {0.0f, 2.0f, -0.5f}) {
      GemmCall call = first.call;
      call.alpha = 1.0f + beta;
      call.beta = beta;
      BlasCase test(call, 2, 1, beta > 0.0f ? 5 : 6);
      test.b = first.b;
      const tw_gemm_desc desc = to_c(call);
      const CMatrix a = to_c(upload(d, test.a));
      // The second product packs B itself and has no event.
      for (const tw_matrix* with : {&weights, static_cast<const tw_matrix*>(&b)}) {
        const Matrix c_matrix = upload(d, test.c);
        const CMatrix c = to_c(c_matrix);
        cl_event done = nullptr;
        REQUIRE(tw_execute(plan, d.queue(), desc.alpha, &a, with, desc.beta, &c, nullptr, 0,
                           nullptr, with == &weights ? &done : nullptr) == TW_SUCCESS);
        std::vector<cl::Event> events;
        if (done != nullptr) events.emplace_back(done);
        CHECK(test.wrong(download(d, c_matrix, events)) == "");
      }
    }
    tw_packed_free(packed);
  }
  tw_plan_free(plan);
}

TEST_CASE("C: functions of one product use the first of the listed offsets") {
  const TestDevice d;
  const OpenPanels panels(d);
  const BlasCase test({.m = 13, .n = 9, .k = 21}, 5, 3, 1);
  tw_plan* plan = make_c_plan(panels.open.library, test);
  const Matrix c_matrix = upload(d, test.c);
  const CMatrix a = to_c(upload(d, test.a));
  const CMatrix b = to_c(upload(d, test.b));
  const CMatrix c = to_c(c_matrix);
  const auto listed = [](const CMatrix& matrix, const std::size_t& offset) {
    tw_matrix result = tw_make_matrix(matrix.buffer, 0, matrix.ld);
    result.offsets = &offset;
    return result;
  };
  const tw_matrix listed_a = listed(a, a.offset);
  const tw_matrix listed_b = listed(b, b.offset);
  const tw_matrix listed_c = listed(c, c.offset);
  tw_packed* packed = nullptr;
  REQUIRE(tw_pack(plan, d.queue(), TW_OPERAND_B, &listed_b, nullptr, 0, nullptr, &packed,
                  nullptr) == TW_SUCCESS);
  const tw_matrix weights = tw_make_packed_matrix(packed);
  cl_event done = nullptr;
  REQUIRE(tw_execute(plan, d.queue(), kOne, &listed_a, &weights, kZero, &listed_c, nullptr, 0,
                     nullptr, &done) == TW_SUCCESS);
  CHECK(test.wrong(download(d, c_matrix, {cl::Event(done)})) == "");
  tw_packed_free(packed);
  tw_plan_free(plan);
}

TEST_CASE("C: a plan and its packed matrices can be used after tw_close") {
  const TestDevice d;
  const BlasCase test({.m = 13, .n = 9, .k = 21}, 0, 0, 1);
  tw_plan* plan = nullptr;
  {
    const OpenPanels panels(d);
    plan = make_c_plan(panels.open.library, test);
  }
  const Matrix c_matrix = upload(d, test.c);
  const CMatrix a = to_c(upload(d, test.a));
  const CMatrix b = to_c(upload(d, test.b));
  const CMatrix c = to_c(c_matrix);
  tw_packed* packed = nullptr;
  REQUIRE(tw_pack(plan, d.queue(), TW_OPERAND_A, &a, nullptr, 0, nullptr, &packed, nullptr) ==
          TW_SUCCESS);
  const tw_matrix packed_a = tw_make_packed_matrix(packed);
  REQUIRE(tw_execute(plan, d.queue(), kOne, &packed_a, &b, kZero, &c, nullptr, 0, nullptr,
                     nullptr) == TW_SUCCESS);
  tw_packed_free(packed);
  tw_plan_free(plan);
  CHECK(test.wrong(download(d, c_matrix, {})) == "");
}

TEST_CASE("C: invalid plans, packing and execution have their statuses") {
  const TestDevice d;
  const OpenPanels panels(d);
  tw_library* library = panels.open.library;
  const BlasCase test({.m = 21, .n = 21, .k = 21}, 0, 0, 1);
  const tw_gemm_desc good = to_c(test.call);
  tw_plan* plan = reinterpret_cast<tw_plan*>(&plan);
  const auto create = [&](tw_library* with, const tw_gemm_desc& desc, std::size_t lda) {
    const tw_matrix a = tw_make_matrix(nullptr, 0, lda);
    return tw_plan_create(with, &desc, &a, nullptr, nullptr, &plan);
  };
  CHECK(create(nullptr, good, 21) == TW_INVALID_VALUE);
  CHECK(plan == nullptr);
  tw_gemm_desc bad = good;
  bad.layout = static_cast<tw_layout>(0);
  CHECK(create(library, bad, 21) == TW_INVALID_VALUE);
  bad = good;
  bad.batch_count = 2;
  CHECK(create(library, bad, 21) == TW_INVALID_VALUE);
  CHECK(create(library, good, 20) == TW_INVALID_LD_A);
  CHECK(tw_plan_create(library, &good, nullptr, nullptr, nullptr, nullptr) == TW_INVALID_VALUE);
  REQUIRE(create(library, good, 21) == TW_SUCCESS);

  const CMatrix b = to_c(upload(d, test.b));
  const CMatrix c = to_c(upload(d, test.c));
  tw_packed* packed = reinterpret_cast<tw_packed*>(&packed);
  const cl::Buffer less(d.context, CL_MEM_READ_WRITE, tw_plan_packed_bytes(plan, TW_OPERAND_B) - 4);
  const auto pack = [&](const tw_plan* with, cl_mem buffer, std::size_t offset) {
    const tw_memory into = {buffer, offset};
    return tw_pack(with, d.queue(), TW_OPERAND_B, &b, &into, 0, nullptr, &packed, nullptr);
  };
  CHECK(pack(nullptr, nullptr, 0) == TW_INVALID_VALUE);
  CHECK(packed == nullptr);
  CHECK(pack(plan, less(), 0) == TW_INSUFFICIENT_PACKED_BUFFER);
  CHECK(pack(plan, less(), 1) == TW_INVALID_PACKED_BUFFER);
  for (const cl_mem_flags flags : {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY}) {
    const cl::Buffer limited(d.context, flags, 2 * tw_plan_packed_bytes(plan, TW_OPERAND_B));
    CHECK(pack(plan, limited(), 0) == TW_INVALID_PACKED_BUFFER);
  }
  const auto pack_as = [&](tw_operand operand, const tw_matrix* matrix, tw_packed** out) {
    return tw_pack(plan, d.queue(), operand, matrix, nullptr, 0, nullptr, out, nullptr);
  };
  CHECK(pack_as(TW_OPERAND_A, nullptr, &packed) == TW_INVALID_BUFFER_A);
  const auto changed = [](const CMatrix& matrix, auto change) {
    tw_matrix result = matrix;
    change(result);
    return result;
  };
  const auto shorter = [](tw_matrix& x) { x.ld = 20; };
  const auto later = [](tw_matrix& x) { x.offset = 1; };
  const auto null = [](tw_matrix& x) { x.buffer = nullptr; };
  const tw_matrix bad_b[] = {changed(b, shorter), changed(b, later), changed(b, null)};
  CHECK(pack_as(TW_OPERAND_B, &bad_b[0], &packed) == TW_INVALID_LD_B);
  CHECK(pack_as(TW_OPERAND_B, &bad_b[1], &packed) == TW_INSUFFICIENT_BUFFER_B);
  CHECK(pack_as(TW_OPERAND_B, &bad_b[2], &packed) == TW_INVALID_BUFFER_B);
  CHECK(pack_as(static_cast<tw_operand>(2), &b, &packed) == TW_INVALID_VALUE);
  CHECK(pack_as(TW_OPERAND_A, &b, nullptr) == TW_INVALID_VALUE);
  REQUIRE(pack(plan, nullptr, 0) == TW_SUCCESS);

  const tw_matrix weights = tw_make_packed_matrix(packed);
  tw_packed* again = nullptr;
  CHECK(pack_as(TW_OPERAND_B, &weights, &again) == TW_INVALID_VALUE);
  const auto execute = [&](const tw_plan* with, const tw_matrix& a, const tw_matrix& to,
                           cl_uint num_wait) {
    return tw_execute(with, d.queue(), kOne, &a, &b, kZero, &to, nullptr, num_wait, nullptr,
                      nullptr);
  };
  CHECK(execute(plan, b, c, 0) == TW_SUCCESS);
  CHECK(execute(nullptr, b, c, 0) == TW_INVALID_VALUE);
  CHECK(execute(plan, b, c, 1) == TW_INVALID_VALUE);
  CHECK(execute(plan, b, weights, 0) == TW_INVALID_VALUE);
  CHECK(execute(plan, changed(b, later), c, 0) == TW_INSUFFICIENT_BUFFER_A);
  CHECK(execute(plan, changed(b, null), c, 0) == TW_INVALID_BUFFER_A);
  CHECK(execute(plan, b, changed(c, shorter), 0) == TW_INVALID_LD_C);
  CHECK(execute(plan, b, changed(c, later), 0) == TW_INSUFFICIENT_BUFFER_C);
  CHECK(execute(plan, b, changed(c, null), 0) == TW_INVALID_BUFFER_C);
  CHECK(tw_execute(plan, nullptr, kOne, &b, &b, kZero, &c, nullptr, 0, nullptr, nullptr) ==
        TW_INVALID_QUEUE);
  CHECK(execute(plan, weights, c, 0) == TW_WRONG_LAYOUT);
  CHECK(std::string(tw_last_error()).find("was packed for B") != std::string::npos);
  tw_packed_free(packed);
  tw_plan_free(plan);

  tw_packed_free(nullptr);
  tw_plan_free(nullptr);
  CHECK(std::string(tw_plan_kernel(nullptr)).empty());
  CHECK(tw_plan_packed_bytes(nullptr, TW_OPERAND_A) == 0);
  CHECK(tw_plan_packed_is_image(nullptr, TW_OPERAND_B) == 0);
  CHECK(tw_plan_workspace_bytes(nullptr) == 0);
}

TEST_CASE("C: tw_execute with alpha 0 checks its arguments first, and waits only for its events") {
  const TestDevice d;
  const OpenPanels panels(d);
  const BlasCase test({.m = 13, .n = 9, .k = 21, .alpha = 0.0, .beta = 2.0}, 2, 1, 1);
  tw_plan* plan = make_c_plan(panels.open.library, test);
  const tw_gemm_desc desc = to_c(test.call);
  const Matrix c_matrix = upload(d, test.c);
  const CMatrix c = to_c(c_matrix);
  const auto execute = [&](cl_command_queue queue, const tw_matrix& to, cl_event* done) {
    return tw_execute(plan, queue, desc.alpha, nullptr, nullptr, desc.beta, &to, nullptr, 0,
                      nullptr, done);
  };
  CHECK(execute(nullptr, c, nullptr) == TW_INVALID_QUEUE);
  tw_matrix bad = c;
  bad.ld = 8;
  CHECK(execute(d.queue(), bad, nullptr) == TW_INVALID_LD_C);

  cl_int code = CL_SUCCESS;
  const cl::CommandQueue unordered(d.context, d.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                   &code);
  if (code == CL_SUCCESS) {
    const bool overtakes = can_overtake(d, unordered);
    if (!overtakes) count_skipped_part("commands cannot overtake each other on this device");
    // An earlier command of the queue, which waits for the gate.
    cl::UserEvent gate(d.context);
    const std::vector<cl::Event> closed{gate};
    const cl::Buffer from(d.context, CL_MEM_READ_WRITE, sizeof(float));
    const cl::Buffer to(d.context, CL_MEM_READ_WRITE, sizeof(float));
    REQUIRE(unordered.enqueueCopyBuffer(from, to, 0, 0, sizeof(float), &closed) == CL_SUCCESS);
    if (!overtakes) gate.setStatus(CL_COMPLETE);
    cl_event done = nullptr;
    REQUIRE(execute(unordered(), c, &done) == TW_SUCCESS);
    unordered.flush();
    {
      const Deadline limit;
      cl::Event(done).wait();
    }
    if (overtakes) gate.setStatus(CL_COMPLETE);
    unordered.finish();
    CHECK(test.wrong(download(d, c_matrix, {})) == "");
  }
  tw_plan_free(plan);
}

}  // namespace
}  // namespace tilewright
