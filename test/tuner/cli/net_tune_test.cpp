// Tests tuning for a network: twice, since the second tuning continues the first, and then running
// it.
#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/models/network_files.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "catch.hpp"
#include "cli_checks.hpp"
#include "first_plans.hpp"
#include "network/network_case.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"

namespace tilewright {
namespace {

NetworkModel small_network() {
  return {{affine(24, 20, true, 1), make_layer(Activation::kRelu), affine(20, 12, true, 2),
           make_layer(Activation::kSoftmax)}};
}

// A tuning with a space of few points.
std::string tuning(const std::string& model, const std::string& rest,
                   const std::string& work_group_m = "1,4") {
  std::string command = "net tune " + model +
                        " --device 0 --batch 1,9 --budget 10h --candidates 100 --rounds 3 " + rest +
                        " --only work_group_m=" + work_group_m;
  for (const char* only : {"tile_m=4",
                           "tile_n=4",
                           "tile_k=1",
                           "unroll_k=1",
                           "vector_width=4",
                           "inner=outer",
                           "work_group_n=4",
                           "id_order=nm",
                           "assignment=consecutive",
                           "lanes_m=1",
                           "lanes_n=1",
                           "cache_block_k=0",
                           "local_a=no",
                           "local_b=no",
                           "local_buffers=1",
                           "local_pad=0",
                           "prefetch=none",
                           "group_order=rows",
                           "access=vload",
                           "addressing=pointers",
                           "layout_b=R,C1x4R",
                           "layout_a=R",
                           "image_a=no",
                           "image_b=no",
                           "edges=guarded",
                           "tile_wide=4",
                           "k_first=yes",
                           "work_group_wide=1,16"}) {
    command += std::string(" --only ") + only;
  }
  return command;
}

std::size_t count_kernels(const Profile& profile, Role role, bool fused) {
  return static_cast<std::size_t>(std::count_if(
      profile.kernels.begin(), profile.kernels.end(), [&](const KernelRecord& kernel) {
        return kernel.role == role && (kernel.bias != Dimension::kNone) == fused;
      }));
}

void check_runs(const std::string& profile, const NetworkModel& model) {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::file(profile));
  const Network net(library, model);
  for (const std::size_t batch : {1u, 9u, 30u}) {
    INFO("batch " << batch);
    CHECK(wrong_forward(d, net, model, NetworkCase(net, batch, 0, 0, 5)) == "");
  }
  for (const std::size_t batch : {1u, 9u}) {
    const std::vector<StepDescription> steps = net.describe(batch);
    REQUIRE(steps.size() == 3);
    for (const std::size_t step : {0u, 1u}) {
      INFO("batch " << batch << ": " << steps[step].kernels.back());
      // A fused product or a separate activation kernel is used, whichever was measured to be
      // faster. On products this small, either may be. test/runtime/network tests the choice.
      CHECK(contains(steps[step].kernels.back(), "bias_n"));
      CHECK(contains(steps[step].kernels.back(), "act_relu") == (step == 0));
      CHECK(steps[step].predicted_ns);
    }
  }
}

// Returns true if a kernel that computes a whole layer was measured on the products of this batch
// size.
bool fused_measured(const Profile& profile, std::int64_t batch) {
  return std::any_of(
      profile.results.begin(), profile.results.end(), [&](const ShapeResult& result) {
        const KernelRecord* kernel = find_kernel(profile, result.kernel);
        return result.m == batch && kernel != nullptr && kernel->bias != Dimension::kNone;
      });
}

TEST_CASE("a network is tuned, a second time without further work, and runs with its profile") {
  const std::string folder = scratch_folder();
  const std::string model = folder + "/net.json";
  const std::string profile = folder + "/net.toml";
  write_network_model(small_network(), model);
  const std::string command = tuning(model, "--output " + profile);
  const ProgramResult first = run_program(command);
  INFO(first.error);
  REQUIRE(first.exit_code == 0);
  CHECK(first.out == profile + "\n");
  CHECK(std::ifstream(profile + ".net.journal.jsonl").good());
  const Profile tuned = load_profile(profile);
  check_first_plans(read_journal(profile + ".net.journal.jsonl"), tuned);
  CHECK(contains(tuned.provenance.command_line, "tilewright net tune"));
  CHECK(count_kernels(tuned, Role::kGemm, true) + count_kernels(tuned, Role::kGemv, true) >= 2);
  CHECK(fused_measured(tuned, 1));
  CHECK(fused_measured(tuned, 9));
  CHECK(count_kernels(tuned, Role::kActivation, true) == 4);
  CHECK(count_kernels(tuned, Role::kSoftmax, false) == 1);
  CHECK(tuned.pack_results.size() >= 5);
  check_runs(profile, small_network());

  const ProgramResult again = run_program(command);
  INFO(again.error);
  CHECK(again.exit_code == 0);
  CHECK(contains(again.error, "resuming "));
  CHECK(count_kernels(load_profile(profile), Role::kActivation, true) == 4);

  const ProgramResult verified = run_program("verify --device 0 " + profile);
  INFO(verified.out);
  CHECK(verified.exit_code == 0);
}

TEST_CASE("a network is tuned in half precision, and runs with its profile in half precision") {
  const std::string folder = scratch_folder();
  const std::string model = folder + "/half.json";
  const std::string profile = folder + "/half.toml";
  write_network_model(small_network(), model);
  const ProgramResult tune = run_program(tuning(model, "--precision h --output " + profile, "4"));
  INFO(tune.error);
  REQUIRE(tune.exit_code == 0);
  CHECK(std::ifstream(profile + ".half.h.journal.jsonl").good());
  const Profile tuned = load_profile(profile);
  for (const KernelRecord& kernel : tuned.kernels) {
    INFO(kernel.name);
    CHECK(kernel.precision == Precision::kHalf);
  }
  CHECK(count_kernels(tuned, Role::kGemm, true) + count_kernels(tuned, Role::kGemv, true) >= 2);
  CHECK(fused_measured(tuned, 1));
  CHECK(fused_measured(tuned, 9));
  CHECK(count_kernels(tuned, Role::kActivation, true) == 4);
  CHECK(count_kernels(tuned, Role::kSoftmax, false) == 1);
  FloatMatrix x{30, 24, {}};
  for (int i = 0; i < 30 * 24; ++i) x.values.push_back(std::sin(static_cast<float>(i)));
  write_npy(x, folder + "/half.npy");
  const ProgramResult run =
      run_program("net run " + model + " --precision h --device 0 --batch 9 --profile " + profile +
                  " --input " + folder + "/half.npy --output " + folder + "/half.csv");
  INFO(run.error);
  REQUIRE(run.exit_code == 0);
  const FloatMatrix y = read_matrix(folder + "/half.csv");
  const std::vector<double> right =
      host_forward(round_to_precision(small_network(), Precision::kHalf),
                   round_to_precision(x.values, Precision::kHalf), 30);
  REQUIRE(y.values.size() == right.size());
  for (std::size_t i = 0; i < right.size(); ++i) {
    CHECK(std::abs(static_cast<double>(y.values[i]) - right[i]) <= 2e-3);
  }
}

TEST_CASE("a network is tuned into an existing profile, whose contents are kept", "[full]") {
  const std::string folder = scratch_folder();
  const std::string profile = folder + "/board.toml";
  const ProgramResult tune = run_program(
      "tune --device 0 --shapes 40x40x40 --ops nn --budget 10h --candidates 12 --rounds 3 "
      "--activations none --output " +
      profile);
  INFO(tune.error);
  REQUIRE(tune.exit_code == 0);
  check_first_plans(profile);
  const Profile before = load_profile(profile);
  const std::string model = folder + "/added.json";
  write_network_model(small_network(), model);
  const ProgramResult added = run_program(tuning(model, "--profile " + profile));
  INFO(added.error);
  REQUIRE(added.exit_code == 0);
  const Profile after = load_profile(profile);
  for (const KernelRecord& kernel : before.kernels) {
    INFO(kernel.name);
    CHECK(find_kernel(after, kernel.name) != nullptr);
  }
  for (const ShapeResult& result : before.results) {
    CHECK(std::find(after.results.begin(), after.results.end(), result) != after.results.end());
  }
  CHECK(after.results.size() > before.results.size());
  check_runs(profile, small_network());

  Profile stranger = before;
  stranger.device.name = "Another";
  const std::string other = folder + "/other.toml";
  std::ofstream(other) << write_profile(stranger);
  const ProgramResult refused = run_program(tuning(model, "--profile " + other));
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.error, "--profile: cannot add"));
  CHECK(contains(refused.error, "Another"));
  CHECK_FALSE(std::ifstream(other + ".added.journal.jsonl").good());
}

}  // namespace
}  // namespace tilewright
