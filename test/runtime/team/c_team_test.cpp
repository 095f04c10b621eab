// Tests the C interface of teams: statuses, messages and lifetimes. Products are tested in
// team_test.cpp.
#include <tilewright/team.h>
#include <tilewright/team.hpp>

#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "api/c_open.hpp"
#include "blas_case.hpp"
#include "c_team_setup.hpp"
#include "catch.hpp"
#include "runtime/team/team_profile.hpp"
#include "team_case.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

struct OpenTeam {
  tw_team* team = nullptr;
  explicit OpenTeam(const std::vector<tw_team_member>& members, const double* shares = nullptr) {
    const tw_status status = create_team(members, &team, shares);
    INFO(tw_last_error());
    REQUIRE(status == TW_SUCCESS);
  }
  ~OpenTeam() { tw_team_free(team); }
  OpenTeam(const OpenTeam&) = delete;
  OpenTeam& operator=(const OpenTeam&) = delete;
};

tw_status create_status(const tw_team_desc* desc, tw_team** out) {
  const tw_status status = tw_team_create(desc, out);
  if (out != nullptr) CHECK(*out == nullptr);
  return status;
}

TEST_CASE("C team: each invalid description is rejected with a message that names it") {
  const TestDevice d;
  const OpenLibrary open(d, untuned_options());
  tw_team* team = nullptr;
  const auto refused = [&](const std::vector<tw_team_member>& members, const double* shares,
                           tw_status status, const std::string& message) {
    tw_team_desc desc = tw_make_team_desc(members.data(), members.size());
    desc.shares = shares;
    INFO(message);
    CHECK(create_status(&desc, &team) == status);
    CHECK_THAT(tw_last_error(), ContainsSubstring(message));
  };
  const tw_team_member good = device_member(open.library, d.queue());
  const tw_team_member neither = {};
  tw_team_member both = good;
  both.cblas = TILEWRIGHT_PLAIN_CBLAS;
  refused({}, nullptr, TW_INVALID_VALUE, "no members");
  refused({good, neither}, nullptr, TW_INVALID_VALUE, "member 1 has neither");
  refused({both}, nullptr, TW_INVALID_VALUE, "member 0 has both");
  refused({device_member(open.library, nullptr)}, nullptr, TW_INVALID_QUEUE, "queue is null");
  refused({cblas_member("no-such-library.so")}, nullptr, TW_INVALID_VALUE, "no-such-library.so");
  refused({cblas_member("libm.so.6")}, nullptr, TW_INVALID_VALUE, "libm.so.6 has none of");
  const cl::Context other(d.device);
  const cl::CommandQueue foreign(other, d.device);
  refused({device_member(open.library, foreign())}, nullptr, TW_INVALID_QUEUE, "another context");
  const double negative[] = {1.0, -1.0};
  const double nan[] = {std::numeric_limits<double>::quiet_NaN(), 1.0};
  const double zero[] = {0.0, 0.0};
  const double huge[] = {1e308, 1e308};
  refused({good, good}, negative, TW_INVALID_VALUE, "share");
  refused({good, good}, nan, TW_INVALID_VALUE, "share");
  refused({good, good}, zero, TW_INVALID_VALUE, "all shares are 0");
  refused({good, good}, huge, TW_INVALID_VALUE, "sum of all shares");

  tw_team_desc desc = tw_make_team_desc(&good, 1);
  desc.profile_path = "/nowhere/team.toml";
  CHECK(create_status(&desc, &team) == TW_NO_PROFILE);
  CHECK_THAT(tw_last_error(), ContainsSubstring("/nowhere/team.toml"));
  desc = tw_make_team_desc(&good, 1);
  CHECK(create_status(&desc, nullptr) == TW_INVALID_VALUE);
  CHECK(create_status(nullptr, &team) == TW_INVALID_VALUE);
  desc.members = nullptr;
  CHECK(create_status(&desc, &team) == TW_INVALID_VALUE);
  desc = tw_make_team_desc(&good, 1);
  desc.struct_size = 8;
  CHECK(create_status(&desc, &team) == TW_INVALID_VALUE);
  desc = tw_make_team_desc(&good, 1);
  desc.member_size = 8;
  CHECK(create_status(&desc, &team) == TW_INVALID_VALUE);
  CHECK_THAT(tw_last_error(), ContainsSubstring("member 0"));
  CHECK(tw_team_num_dropped(nullptr) == 0);
  CHECK(std::string(tw_team_drop_reason(nullptr, 0)).empty());
  CHECK(tw_team_num_skipped(nullptr, 0) == 0);
  CHECK(std::string(tw_team_skip_reason(nullptr, 0)).empty());
  tw_team_free(nullptr);
}

// All statuses of products in host memory, one invalid argument at a time.
TEST_CASE("C team: each invalid argument of a product in host memory has its status") {
  const OpenTeam open({cblas_member(TILEWRIGHT_PLAIN_CBLAS)});
  std::vector<float> memory(64 * 64, 1.0f);
  struct Call {
    tw_gemm_desc desc = tw_make_gemm_desc(TW_FLOAT, 4, 5, 6);
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;
    std::size_t lda = 0, ldb = 0, ldc = 0;
  };
  // A is stored as 4 columns of 6, B as 5 columns of 6, C as 5 columns of 4.
  const auto status_of = [&](const auto& change) {
    Call call;
    call.desc.layout = TW_COLUMN_MAJOR;
    call.desc.trans_a = TW_TRANS;
    call.a = call.b = memory.data();
    call.c = memory.data() + 1024;
    change(call);
    const tw_status status =
        tw_team_gemm(open.team, &call.desc, call.a, call.lda, call.b, call.ldb, call.c, call.ldc);
    CHECK(std::string(tw_last_error()).empty() == (status == TW_SUCCESS));
    return status;
  };
  CHECK(status_of([](Call&) {}) == TW_SUCCESS);
  CHECK(status_of([](Call& x) { x.lda = 6, x.ldb = 6, x.ldc = 4; }) == TW_SUCCESS);
  CHECK(status_of([](Call& x) { x.lda = 5; }) == TW_INVALID_LD_A);
  CHECK(status_of([](Call& x) { x.ldb = 5; }) == TW_INVALID_LD_B);
  CHECK(status_of([](Call& x) { x.ldc = 3; }) == TW_INVALID_LD_C);
  CHECK(status_of([](Call& x) { x.a = nullptr; }) == TW_INVALID_BUFFER_A);
  CHECK(status_of([](Call& x) { x.b = nullptr; }) == TW_INVALID_BUFFER_B);
  CHECK(status_of([](Call& x) { x.c = nullptr; }) == TW_INVALID_BUFFER_C);
  CHECK(status_of([](Call& x) { x.a = x.b = nullptr, x.desc.alpha.re = 0.0; }) == TW_SUCCESS);
  CHECK(status_of([](Call& x) { x.a = x.b = nullptr, x.desc.k = 0; }) == TW_SUCCESS);
  CHECK(status_of([](Call& x) { x.a = x.b = x.c = nullptr, x.desc.m = 0; }) == TW_SUCCESS);
  CHECK(status_of([](Call& x) { x.desc.m = 2'000'000'001; }) == TW_INVALID_DIMENSION);
  CHECK(status_of([&](Call& x) { x.a = reinterpret_cast<const char*>(x.a) + 1; }) ==
        TW_INVALID_BUFFER_A);
  CHECK(status_of([](Call& x) { x.desc.type = static_cast<tw_type>(9); }) == TW_INVALID_VALUE);
  CHECK(status_of([](Call& x) { x.desc.layout = static_cast<tw_layout>(9); }) == TW_INVALID_VALUE);
  CHECK(status_of([](Call& x) { x.desc.trans_b = static_cast<tw_transpose>(9); }) ==
        TW_INVALID_VALUE);
  CHECK(status_of([](Call& x) { x.desc.batch_count = 2; }) == TW_INVALID_VALUE);
  CHECK(status_of([](Call& x) { x.desc.alpha.im = 1.0; }) == TW_INVALID_VALUE);
  CHECK(status_of([](Call& x) { x.desc.struct_size = 1; }) == TW_INVALID_VALUE);
  CHECK(status_of([](Call& x) { x.desc.type = TW_HALF; }) == TW_UNSUPPORTED_TYPE);
  const tw_gemm_desc desc = tw_make_gemm_desc(TW_FLOAT, 1, 1, 1);
  float x = 1.0f;
  CHECK(tw_team_gemm(nullptr, &desc, &x, 0, &x, 0, &x, 0) == TW_INVALID_VALUE);
  CHECK(tw_team_gemm(open.team, nullptr, &x, 0, &x, 0, &x, 0) == TW_INVALID_VALUE);
  const tw_scalar two = {2.0, 0.0};
  const tw_scalar ten = {10.0, 0.0};
  tw_gemm_desc scaled = desc;
  scaled.alphas = &two;
  scaled.betas = &ten;
  const float three = 3.0f;
  float y = 1.0f;
  CHECK(tw_team_gemm(open.team, &scaled, &three, 0, &x, 0, &y, 0) == TW_SUCCESS);
  CHECK(y == 16.0f);
  const tw_matrix none = {};
  CHECK(tw_team_enqueue_gemm(open.team, &desc, &none, &none, &none, 0, nullptr, nullptr) ==
        TW_INVALID_VALUE);
  CHECK_THAT(tw_last_error(), ContainsSubstring("no OpenCL device"));
  CHECK(tw_team_num_dropped(open.team) == 0);
  CHECK(tw_team_num_skipped(open.team, 0) == 0);
  CHECK(tw_team_num_skipped(open.team, 1) == 0);  // there is no such member
  CHECK(std::string(tw_team_skip_reason(open.team, 1)).empty());
}

TEST_CASE("C team: arguments in buffers are checked before anything is enqueued") {
  const TestDevice d;
  const OpenLibrary open(d);
  const OpenTeam team(
      {device_member(open.library, d.queue()), device_member(open.library, d.queue())});
  const std::vector<float> ones(100, 1.0f);
  const auto made = [&](const cl::Context& context) {
    return cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, ones.size() * 4,
                      const_cast<float*>(ones.data()));
  };
  const cl::Buffer a = made(d.context), b = made(d.context), c = made(d.context);
  const cl::Context other(d.device);
  const cl::Buffer foreign = made(other);
  const auto status = [&](std::size_t m, const cl::Buffer& in_a, const cl::Buffer& in_b,
                          const cl::Buffer& in_c) {
    const tw_gemm_desc desc = tw_make_gemm_desc(TW_FLOAT, m, 10, 10);
    const tw_matrix x = tw_make_matrix(in_a(), 0, 0);
    const tw_matrix y = tw_make_matrix(in_b(), 0, 0);
    const tw_matrix z = tw_make_matrix(in_c(), 0, 0);
    return tw_team_enqueue_gemm(team.team, &desc, &x, &y, &z, 0, nullptr, nullptr);
  };
  CHECK(status(10, a, b, c) == TW_SUCCESS);
  CHECK(status(10, foreign, b, c) == TW_INVALID_BUFFER_A);
  CHECK(status(10, a, foreign, c) == TW_INVALID_BUFFER_B);
  CHECK(status(10, a, b, foreign) == TW_INVALID_BUFFER_C);
  CHECK(status(10, a, b, cl::Buffer()) == TW_INVALID_BUFFER_C);
  CHECK(status(11, a, b, c) == TW_INSUFFICIENT_BUFFER_A);
  d.queue.finish();
  CHECK(tw_team_num_dropped(team.team) == 0);
}

TEST_CASE("C team: libraries may be closed, and many threads may use one team") {
  const TestDevice d;
  const TeamQueues on(d, false);
  const tw_options builtin = untuned_options();
  std::vector<tw_team_member> members;
  std::vector<tw_library*> libraries;
  for (std::size_t i = 0; i < 2; ++i) {
    tw_library* library = nullptr;
    REQUIRE(tw_open_for_queue(on.queues[i](), &builtin, &library) == TW_SUCCESS);
    members.push_back(device_member(library, on.queues[i]()));
    libraries.push_back(library);
  }
  members.push_back(cblas_member(TILEWRIGHT_PLAIN_CBLAS));
  const OpenTeam open(members);
  for (tw_library* library : libraries) tw_close(library);
  std::vector<std::string> wrong(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 8 && wrong[t].empty(); ++i) {
        const GemmCall call{.m = 20 + 30 * (t % 2), .n = 33, .k = 17, .beta = t < 2 ? 0.0 : 1.0};
        const BlasCase test(call, 1, 2, i);
        BlasCase memory = test;
        const tw_gemm_desc desc = to_c(call);
        const tw_status status = tw_team_gemm(open.team, &desc, memory.a.data.data() + 1,
                                              memory.a.ld, memory.b.data.data() + 1, memory.b.ld,
                                              memory.c.data.data() + 1, memory.c.ld);
        wrong[t] = status == TW_SUCCESS ? test.wrong(memory.c.data) : tw_last_error();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) CHECK(text == "");
}

TEST_CASE("C team: a team profile of other members is refused") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/team.toml";
  const auto status = [&](const std::string& name) {
    const TeamProfile profile{{{name, ""}},
                              {{ElementType::kFloat, {64, 64, 64}, {2.0}, {2.0}, 2.0}}};
    std::ofstream(file) << write_team_profile(profile);
    tw_team* team = nullptr;
    const tw_status created =
        create_team({cblas_member(TILEWRIGHT_PLAIN_CBLAS)}, &team, nullptr, file.c_str());
    tw_team_free(team);
    return created;
  };
  const std::string path = TILEWRIGHT_PLAIN_CBLAS;
  CHECK(status(path.substr(path.rfind('/') + 1)) == TW_SUCCESS);
  CHECK(status("libopenblas.so.0") == TW_WRONG_DEVICE);
  CHECK_THAT(tw_last_error(), ContainsSubstring("libopenblas.so.0"));
}

TEST_CASE("C team: the explanation names each member and its part") {
  const double shares[] = {1.0, 3.0};
  const OpenTeam open({cblas_member(TILEWRIGHT_PLAIN_CBLAS), cblas_member(TILEWRIGHT_PLAIN_CBLAS)},
                      shares);
  char* text = nullptr;
  const tw_gemm_desc desc = tw_make_gemm_desc(TW_FLOAT, 100, 10, 10);
  REQUIRE(tw_team_explain(open.team, &desc, &text) == TW_SUCCESS);
  CHECK_THAT(text, ContainsSubstring("member 0, ") && ContainsSubstring(": 25 of 100 rows of C") &&
                       ContainsSubstring("75 of 100 rows of C"));
  tw_text_free(text);
  CHECK(tw_team_explain(open.team, &desc, nullptr) == TW_INVALID_VALUE);
  CHECK(tw_team_explain(nullptr, &desc, &text) == TW_INVALID_VALUE);
  CHECK(text == nullptr);
}

TEST_CASE("C team: the members can be measured again") {
  const OpenTeam open({cblas_member(TILEWRIGHT_PLAIN_CBLAS), cblas_member(TILEWRIGHT_PLAIN_CBLAS)});
  CHECK(tw_team_measure(nullptr, TW_FLOAT) == TW_INVALID_VALUE);
  CHECK(tw_team_measure(open.team, static_cast<tw_type>(9)) == TW_INVALID_VALUE);
  CHECK(tw_team_measure(open.team, TW_HALF) == TW_UNSUPPORTED_TYPE);
  CHECK(tw_team_measure(open.team, TW_DOUBLE) == TW_SUCCESS);
  char* text = nullptr;
  const tw_gemm_desc desc = tw_make_gemm_desc(TW_DOUBLE, 100, 100, 100);
  REQUIRE(tw_team_explain(open.team, &desc, &text) == TW_SUCCESS);
  CHECK_THAT(text, ContainsSubstring("rates measured at 128x128x128"));
  tw_text_free(text);
}

TEST_CASE("C++ team: a team owns its handle, divides products, and reports errors") {
  const TestDevice d;
  tw::TeamOptions options;
  options.shares = {1.0, 3.0};
  tw::Team team;
  {
    const tw::Library library(d.queue);
    team = tw::Team({{library, d.queue}, TILEWRIGHT_PLAIN_CBLAS}, options);
  }
  const BlasCase test({.m = 40, .n = 30, .k = 20, .beta = 2.0, .trans_b = Transpose::kYes}, 1, 2,
                      1);
  BlasCase memory = test;
  tw::Gemm product{test.call.m, test.call.n, test.call.k, 1.0, 2.0};
  product.trans_b = TW_TRANS;
  const float* const a = memory.a.data.data() + 1;
  const float* const b = memory.b.data.data() + 1;
  team.gemm(product, a, memory.a.ld, b, memory.b.ld, memory.c.data.data() + 1, memory.c.ld);
  CHECK(test.wrong(memory.c.data) == "");
  CHECK_THAT(team.explain(TW_FLOAT, product), ContainsSubstring(": 10 of 40 rows of C"));
  const Matrix c = upload(d, test.c);
  const auto in = [](const Matrix& matrix) {
    return tw::Matrix(matrix.buffer, matrix.offset, matrix.ld);
  };
  const tw::Event done =
      team.enqueue_gemm<float>(product, in(upload(d, test.a)), in(upload(d, test.b)), in(c));
  CHECK(test.wrong(download(d, c, {cl::Event(done)})) == "");
  team.measure(TW_FLOAT);
  CHECK(team.num_dropped() == 0);
  CHECK(team.drop_reason(0).empty());
  CHECK(team.num_skipped(0) == 0);
  CHECK(team.skip_reason(0).empty());

  const auto status = [](const auto& body) {
    try {
      body();
    } catch (const tw::Error& error) {
      return error.status();
    }
    return TW_SUCCESS;
  };
  CHECK(status([&] { team.gemm(product, a, 1, b, 0, memory.c.data.data(), 0); }) ==
        TW_INVALID_LD_A);
  CHECK(status([&] { tw::Team({TILEWRIGHT_PLAIN_CBLAS}, options); }) == TW_INVALID_VALUE);
  CHECK(status([&] { tw::Team(std::vector<tw::TeamMember>()); }) == TW_INVALID_VALUE);
  CHECK(status([&] { tw::Team().num_dropped(); }) == TW_INVALID_VALUE);
}

}  // namespace
}  // namespace tilewright
