#include "codelets/space/generic_profile.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

TEST_CASE("profiles/data/generic.toml is what the codelets emit") {
  std::ifstream file(TILEWRIGHT_DATA "/generic.toml");
  std::stringstream shipped;
  shipped << file.rdbuf();
  INFO("after a change of the codelets: tilewright emit --generic > profiles/data/generic.toml");
  CHECK(shipped.str() == write_profile(generic_profile()));
  CHECK(generic_profile_text() == shipped.str());
}

TEST_CASE("the built-in profile serves every operand combination on the least of devices") {
  const Profile profile = parse_profile(generic_profile_text(), "built-in");
  CHECK(profile == generic_profile());
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    bool scalar = false;
    for (const KernelRecord& record : profile.kernels) {
      scalar =
          scalar || (record.role == Role::kGemm && op_of(record.layout_a, *record.layout_b) == op &&
                     record.work_group == std::array{1, 1});
    }
    CHECK(scalar);
  }
  for (const KernelRecord& record : profile.kernels) {
    CHECK(record.source.find("fma(") == std::string::npos);  // slow emulation on some devices
    CHECK(record.multiples == Tile{1, 1, 1});
    CHECK(record.build_options.empty());
  }
}

TEST_CASE("the built-in profile has what a network needs beside products") {
  const std::vector<KernelRecord> kernels = generic_profile().kernels;
  const auto has = [&](Role role, Activation activation) {
    return std::any_of(kernels.begin(), kernels.end(), [&](const KernelRecord& record) {
      return record.role == role && record.layout_a == Layout::R() &&
             record.layout_c == Layout::R() && record.activation == activation &&
             (role == Role::kSoftmax || record.bias == Dimension::kN);
    });
  };
  for (const Activation activation : elementwise_activations()) {
    INFO(to_text(activation));
    CHECK(has(Role::kActivation, activation));
  }
  CHECK(has(Role::kSoftmax, Activation::kIdentity));
  CHECK(has(Role::kSoftmax, Activation::kLog));
}

}  // namespace
}  // namespace tilewright
