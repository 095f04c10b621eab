// Tests that a library of the parent process is refused in a child process made by fork().
#include "api/c_open.hpp"
#include "catch.hpp"
#include "forked_child.hpp"
#include "runtime/api/plan.hpp"
#include "runtime/network/network.hpp"
#include "runtime/team/device_member.hpp"
#include "runtime/team/team.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kForkSize = 8;

cl::Buffer buffer_of_ones(const TestDevice& d) {
  std::vector<float> ones(kForkSize * kForkSize, 1.0f);
  return {d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, ones.size() * sizeof(float),
          ones.data()};
}

// True if `action` throws Error TW_FORKED.
template <class Action>
bool is_refused(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.status() == TW_FORKED;
  }
  return false;
}

TEST_CASE("C: a child process gets a status, and can close the library") {
  const TestDevice d;
  OpenLibrary open(d);
  const cl::Buffer a = buffer_of_ones(d);
  const cl::Buffer c = buffer_of_ones(d);
  const auto multiply = [&] {
    return tw_sgemm(open.library, d.queue(), TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, kForkSize,
                    kForkSize, kForkSize, 1.0f, a(), 0, kForkSize, a(), 0, kForkSize, 0.0f, c(), 0,
                    kForkSize, 0, nullptr, nullptr);
  };
  REQUIRE(multiply() == TW_SUCCESS);
  d.queue.finish();
  CHECK(std::string(tw_status_name(TW_FORKED)) == "TW_FORKED");
  CHECK(run_in_child([&] {
          const bool is_refused = multiply() == TW_FORKED &&
                                  std::string(tw_last_error()).find("fork()") != std::string::npos;
          tw_close(open.library);
          return is_refused ? 0 : 1;
        }) == 0);
  // The parent's library still works.
  REQUIRE(multiply() == TW_SUCCESS);
  d.queue.finish();
}

TEST_CASE("plans, networks and teams are refused in a child process, too") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device);
  const GemmCall call{.m = kForkSize, .n = kForkSize, .k = kForkSize};
  const Matrix matrix{buffer_of_ones(d), 0, kForkSize};
  const Plan plan = Plan(library, call);
  NetworkModel model;
  AffineLayer layer;
  layer.inputs = layer.outputs = kForkSize;
  layer.weights.assign(kForkSize * kForkSize, 1.0f);
  model.layers = {layer};
  const Network net(library, model);
  net.workspace_bytes(1);  // known in the child process, unlike that without temporaries
  Team team({std::make_shared<DeviceMember>(library, d.queue)}, {});
  std::vector<float> host(kForkSize * kForkSize, 1.0f);
  const HostGemm product{
      call, {host.data(), kForkSize}, {host.data(), kForkSize}, {host.data(), kForkSize}};
  CHECK(run_in_child([&] {
          int accepted = 0;
          accepted += is_refused([&] { Plan(library, {.m = 4, .n = 5, .k = 6}); }) ? 0 : 1;
          accepted += is_refused([&] { Plan(library, call); }) ? 0 : 64;
          accepted += is_refused([&] { plan.pack(Operand::kB, d.queue, matrix); }) ? 0 : 2;
          accepted += is_refused([&] { plan.execute(d.queue, matrix, matrix, matrix); }) ? 0 : 4;
          accepted += is_refused([&] { Network(library, model); }) ? 0 : 8;
          accepted += is_refused([&] { net.forward(d.queue, matrix, matrix, 2); }) ? 0 : 16;
          accepted += is_refused([&] { team.gemm(product); }) ? 0 : 32;
          const bool refuses_questions = is_refused([&] { net.workspace_bytes(1); }) &&
                                         is_refused([&] { net.max_workspace_bytes(1); });
          accepted += refuses_questions ? 0 : 128;  // an exit code has no more bits
          return accepted;
        }) == 0);
}

}  // namespace
}  // namespace tilewright
