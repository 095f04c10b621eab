// The mode "team": two members, each with a context of its own, compute products in host memory and
// print what became of them.
#include "team_probe.hpp"

#include <tilewright/team.h>
#include <CL/opencl.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t kExtent = 64;

struct ProbeMember {
  cl::Context context;
  cl::CommandQueue queue;
  tw_library* library = nullptr;

  explicit ProbeMember(const cl::Device& device) : context(device), queue(context, device) {
    tw_options options = tw_make_options();
    options.built_in_profile = 1;
    options.cache_folder = "";
    tw_open_for_queue(queue(), &options, &library);
  }
  ~ProbeMember() { tw_close(library); }
  ProbeMember(const ProbeMember&) = delete;
  ProbeMember& operator=(const ProbeMember&) = delete;
};

// Multiplies matrices of ones, with beta = 1.
void multiply(tw_team* team) {
  const std::vector<float> ones(kExtent * kExtent, 1.0f);
  std::vector<float> c = ones;
  tw_gemm_desc product = tw_make_gemm_desc(TW_FLOAT, kExtent, kExtent, kExtent);
  product.beta.re = 1.0;
  const tw_status status =
      tw_team_gemm(team, &product, ones.data(), 0, ones.data(), 0, c.data(), 0);
  const bool right = std::all_of(c.begin(), c.end(), [](float x) { return x == kExtent + 1.0f; });
  std::printf("status %d\nright %d\ndropped %zu\n", static_cast<int>(status), right ? 1 : 0,
              tw_team_num_dropped(team));
  if (status != TW_SUCCESS) std::printf("error %s\n", tw_last_error());
}

}  // namespace

int run_team_probe() {
  const cl::Device device = cl::Device::getDefault();
  const ProbeMember first(device);
  const ProbeMember second(device);
  tw_team_member members[2] = {};
  members[0].library = first.library;
  members[0].queue = first.queue();
  members[1].library = second.library;
  members[1].queue = second.queue();
  const double shares[] = {1.0, 1.0};
  tw_team_desc desc = tw_make_team_desc(members, 2);
  desc.shares = shares;
  tw_team* team = nullptr;
  std::printf("create %d\n", static_cast<int>(tw_team_create(&desc, &team)));
  multiply(team);
  multiply(team);
  std::printf("reasons %s%s\n", tw_team_drop_reason(team, 0), tw_team_drop_reason(team, 1));
  tw_team_free(team);
  first.queue.finish();
  second.queue.finish();
  return 0;
}
