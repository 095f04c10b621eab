// Tests the four steps (plan, pack, execute, free) in the C API.
#include <cstdio>
#include <fstream>

#include "catch.hpp"
#include "panel_library.hpp"

namespace tilewright {
namespace {

// A library of the C API with the kernels of panels(), opened from a file.
struct OpenPanels {
  tw_library* library = nullptr;
  explicit OpenPanels(const TestDevice& d) {
    const std::string path = "c_plan_test_profile.toml";
    std::ofstream(path) << make_profile_text(d, panels());
    const tw_status status = tw_open(d.context(), d.device(), path.c_str(), &library);
    std::remove(path.c_str());
    INFO(tw_last_error());
    REQUIRE(status == TW_SUCCESS);
  }
  ~OpenPanels() { tw_close(library); }
};

tw_plan* make_c_plan(tw_library* library, const BlasCase& test) {
  tw_plan* plan = nullptr;
  REQUIRE(tw_plan_create(library, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, test.call.m, test.call.n,
                         test.call.k, test.a.offset, test.a.ld, test.b.offset, test.b.ld,
                         as_float(test.call.beta), test.c.offset, test.c.ld, &plan) == TW_SUCCESS);
  return plan;
}

TEST_CASE(
    "C: weights packed once and multiplied many times, in memory of the library or the caller") {
  const TestDevice d;
  const OpenPanels open(d);
  const BlasCase first({.m = 13, .n = 9, .k = 21}, 2, 1, 1);
  tw_plan* plan = make_c_plan(open.library, first);
  CHECK(std::string(tw_plan_kernel(plan)) == "panels");
  CHECK(std::string(tw_plan_reason(plan)).find("B is packed first") != std::string::npos);
  CHECK(tw_plan_packed_a_bytes(plan) == 16 * 21 * sizeof(float));
  CHECK(tw_plan_packed_b_bytes(plan) == 21 * 12 * sizeof(float));
  CHECK((tw_plan_packed_a_is_image(plan) == 0 && tw_plan_packed_b_is_image(plan) == 0));
  CHECK(tw_plan_workspace_bytes(plan) == 0);

  const Matrix b = upload(d, first.b);
  const cl::Buffer own(d.context, CL_MEM_READ_WRITE, 64 + tw_plan_packed_b_bytes(plan));
  for (const cl_mem into : {cl_mem{nullptr}, own()}) {
    cl::UserEvent gate(d.context);
    const cl_event wait = gate();
    cl_event ready = nullptr;
    tw_packed* packed = nullptr;
    REQUIRE(tw_pack_b(plan, d.queue(), b.buffer(), b.offset, b.ld, into, 16, 1, &wait, &packed,
                      &ready) == TW_SUCCESS);
    const cl::Event when(ready);
    CHECK(when.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    for (const float beta : {0.0f, 2.0f, -0.5f}) {
      GemmCall call = first.call;
      call.alpha = 1.0f + beta;
      call.beta = beta;
      BlasCase test(call, 2, 1, beta > 0.0f ? 5 : 6);
      test.b = first.b;
      const Matrix a = upload(d, test.a);
      const Matrix c = upload(d, test.c);
      cl_event done = nullptr;
      REQUIRE(tw_execute(plan, d.queue(), as_float(call.alpha), a.buffer(), a.offset, a.ld, nullptr,
                         nullptr, 0, 0, packed, beta, c.buffer(), c.offset, c.ld, 0, nullptr,
                         &done) == TW_SUCCESS);
      CHECK(test.wrong(download(d, c, {cl::Event(done)})) == "");
      // Without packing and without an event.
      const Matrix again = upload(d, test.c);
      REQUIRE(tw_execute(plan, d.queue(), as_float(call.alpha), a.buffer(), a.offset, a.ld, nullptr,
                         b.buffer(), b.offset, b.ld, nullptr, beta, again.buffer(), again.offset,
                         again.ld, 0, nullptr, nullptr) == TW_SUCCESS);
      CHECK(test.wrong(download(d, again, {})) == "");
    }
    tw_packed_free(packed);
  }
  tw_plan_free(plan);
}

TEST_CASE("C: a plan and its packed matrices can be used after tw_close") {
  const TestDevice d;
  const BlasCase test({.m = 13, .n = 9, .k = 21}, 0, 0, 1);
  tw_plan* plan = nullptr;
  {
    const OpenPanels open(d);
    plan = make_c_plan(open.library, test);
  }
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  tw_packed* packed = nullptr;
  REQUIRE(tw_pack_a(plan, d.queue(), a.buffer(), 0, a.ld, nullptr, 0, 0, nullptr, &packed,
                    nullptr) == TW_SUCCESS);
  REQUIRE(tw_execute(plan, d.queue(), 1.0f, nullptr, 0, 0, packed, b.buffer(), 0, b.ld, nullptr,
                     0.0f, c.buffer(), 0, c.ld, 0, nullptr, nullptr) == TW_SUCCESS);
  tw_packed_free(packed);
  tw_plan_free(plan);
  CHECK(test.wrong(download(d, c, {})) == "");
}

TEST_CASE("C: invalid plans, packing and execution have their statuses") {
  const TestDevice d;
  const OpenPanels open(d);
  const BlasCase test({.m = 21, .n = 21, .k = 21}, 0, 0, 1);
  tw_plan* plan = reinterpret_cast<tw_plan*>(&plan);
  const auto create = [&](tw_library* library, tw_layout layout, std::size_t lda) {
    return tw_plan_create(library, layout, TW_NO_TRANS, TW_NO_TRANS, 21, 21, 21, 0, lda, 0, 21,
                          0.0f, 0, 21, &plan);
  };
  CHECK(create(nullptr, TW_ROW_MAJOR, 21) == TW_INVALID_VALUE);
  CHECK(plan == nullptr);
  CHECK(create(open.library, static_cast<tw_layout>(0), 21) == TW_INVALID_VALUE);
  CHECK(create(open.library, TW_ROW_MAJOR, 20) == TW_INVALID_LD_A);
  CHECK(tw_plan_create(open.library, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, 1, 1, 1, 0, 1, 0, 1,
                       0.0f, 0, 1, nullptr) == TW_INVALID_VALUE);
  REQUIRE(create(open.library, TW_ROW_MAJOR, 21) == TW_SUCCESS);

  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  tw_packed* packed = reinterpret_cast<tw_packed*>(&packed);
  const cl::Buffer less(d.context, CL_MEM_READ_WRITE, tw_plan_packed_b_bytes(plan) - 4);
  const auto pack = [&](const tw_plan* with, cl_mem into, std::size_t offset) {
    return tw_pack_b(with, d.queue(), b.buffer(), 0, 21, into, offset, 0, nullptr, &packed,
                     nullptr);
  };
  CHECK(pack(nullptr, nullptr, 0) == TW_INVALID_VALUE);
  CHECK(packed == nullptr);
  CHECK(pack(plan, less(), 0) == TW_INSUFFICIENT_PACKED_BUFFER);
  CHECK(pack(plan, less(), 1) == TW_INVALID_PACKED_BUFFER);
  CHECK(tw_pack_a(plan, d.queue(), nullptr, 0, 21, nullptr, 0, 0, nullptr, &packed, nullptr) ==
        TW_INVALID_BUFFER_A);
  CHECK(tw_pack_a(plan, d.queue(), b.buffer(), 0, 21, nullptr, 0, 0, nullptr, nullptr, nullptr) ==
        TW_INVALID_VALUE);
  REQUIRE(pack(plan, nullptr, 0) == TW_SUCCESS);

  const auto execute = [&](const tw_plan* with, const tw_packed* a, cl_uint num_wait) {
    return tw_execute(with, d.queue(), 1.0f, b.buffer(), 0, 21, a, b.buffer(), 0, 21, nullptr, 0.0f,
                      c.buffer(), 0, 21, num_wait, nullptr, nullptr);
  };
  CHECK(execute(plan, nullptr, 0) == TW_SUCCESS);
  CHECK(execute(nullptr, nullptr, 0) == TW_INVALID_VALUE);
  CHECK(execute(plan, nullptr, 1) == TW_INVALID_VALUE);
  CHECK(execute(plan, packed, 0) == TW_WRONG_LAYOUT);
  CHECK(std::string(tw_last_error()).find("was packed for B") != std::string::npos);
  tw_packed_free(packed);
  tw_plan_free(plan);

  tw_packed_free(nullptr);
  tw_plan_free(nullptr);
  CHECK((std::string(tw_plan_kernel(nullptr)).empty() && tw_plan_packed_a_bytes(nullptr) == 0 &&
         tw_plan_workspace_bytes(nullptr) == 0));
}

}  // namespace
}  // namespace tilewright
