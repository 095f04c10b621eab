// The modes "team" and "team-buffers": two members compute products and print what became of them.
// The mode "library": a library computes one.
#include "team_probe.hpp"

#include <tilewright/team.h>
#include <CL/opencl.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "c_team_setup.hpp"

namespace {

constexpr std::size_t kExtent = 64;

struct ProbeMember {
  cl::Context context;
  cl::CommandQueue queue;
  tw_library* library = nullptr;

  explicit ProbeMember(const cl::Device& device) : ProbeMember(cl::Context(device), device) {}
  ProbeMember(const cl::Context& given, const cl::Device& device)
      : context(given), queue(context, device) {
    const tw_options options = tilewright::untuned_options();
    tw_open_for_queue(queue(), &options, &library);
  }
  ~ProbeMember() { tw_close(library); }
  ProbeMember(const ProbeMember&) = delete;
  ProbeMember& operator=(const ProbeMember&) = delete;
};

void report(const tw_team* team, tw_status status, const std::vector<float>& c) {
  const bool right = std::all_of(c.begin(), c.end(), [](float x) { return x == kExtent + 1.0f; });
  std::printf("status %d\nright %d\ndropped %zu\n", static_cast<int>(status), right ? 1 : 0,
              tw_team_num_dropped(team));
  if (status != TW_SUCCESS) std::printf("error %s\n", tw_last_error());
}

// Multiplies matrices of ones, with beta = 1.
void multiply(tw_team* team) {
  const std::vector<float> ones(kExtent * kExtent, 1.0f);
  std::vector<float> c = ones;
  tw_gemm_desc product = tw_make_gemm_desc(TW_FLOAT, kExtent, kExtent, kExtent);
  product.beta.re = 1.0;
  const tw_status status =
      tw_team_gemm(team, &product, ones.data(), 0, ones.data(), 0, c.data(), 0);
  report(team, status, c);
}

// The same in buffers.
void multiply_in_buffers(tw_team* team, const ProbeMember& on) {
  std::vector<float> ones(kExtent * kExtent, 1.0f);
  const auto make = [&] {
    return cl::Buffer(on.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                      ones.size() * sizeof(float), ones.data());
  };
  const cl::Buffer a = make(), b = make(), c = make();
  tw_gemm_desc product = tw_make_gemm_desc(TW_FLOAT, kExtent, kExtent, kExtent);
  product.beta.re = 1.0;
  const tw_matrix x = tw_make_matrix(a(), 0, 0);
  const tw_matrix y = tw_make_matrix(b(), 0, 0);
  const tw_matrix z = tw_make_matrix(c(), 0, 0);
  cl::Event done;
  const tw_status status = tw_team_enqueue_gemm(team, &product, &x, &y, &z, 0, nullptr, &done());
  if (status == TW_SUCCESS) done.wait();
  std::vector<float> result(ones.size());
  on.queue.enqueueReadBuffer(c, CL_TRUE, 0, result.size() * sizeof(float), result.data());
  report(team, status, result);
}

tw_team* create_team(const ProbeMember& first, const ProbeMember& second) {
  const double shares[] = {1.0, 1.0};
  tw_team* team = nullptr;
  const tw_status status =
      tilewright::create_team({tilewright::device_member(first.library, first.queue()),
                               tilewright::device_member(second.library, second.queue())},
                              &team, shares);
  std::printf("create %d\n", static_cast<int>(status));
  return team;
}

}  // namespace

int run_team_probe() {
  const cl::Device device = cl::Device::getDefault();
  const ProbeMember first(device);
  const ProbeMember second(device);
  tw_team* const team = create_team(first, second);
  multiply(team);
  multiply(team);
  std::printf("reasons %s%s\n", tw_team_drop_reason(team, 0), tw_team_drop_reason(team, 1));
  tw_team_free(team);
  first.queue.finish();
  second.queue.finish();
  return 0;
}

int run_team_in_buffers_probe() {
  const cl::Device device = cl::Device::getDefault();
  const cl::Context context(device);
  const ProbeMember first(context, device);
  const ProbeMember second(context, device);
  tw_team* const team = create_team(first, second);
  multiply_in_buffers(team, first);
  tw_team_free(team);
  first.queue.finish();
  second.queue.finish();
  return 0;
}

int run_library_probe() {
  const cl::Device device = cl::Device::getDefault();
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  std::vector<float> ones(kExtent * kExtent, 1.0f);
  const std::size_t bytes = ones.size() * sizeof(float);
  const cl::Buffer a(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, ones.data());
  const cl::Buffer c(context, CL_MEM_READ_WRITE, bytes);
  tw_options options = tw_make_options();
  options.built_in_profile = 1;
  tw_library* library = nullptr;
  tw_open_for_queue(queue(), &options, &library);
  const tw_status status =
      tw_sgemm(library, queue(), TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, kExtent, kExtent, kExtent,
               1.0f, a(), 0, kExtent, a(), 0, kExtent, 0.0f, c(), 0, kExtent, 0, nullptr, nullptr);
  queue.enqueueReadBuffer(c, CL_TRUE, 0, bytes, ones.data());
  std::printf("status %d\nright %d\n", static_cast<int>(status), ones[0] == kExtent ? 1 : 0);
  tw_close(library);
  return 0;
}
