#include "codelets/space/generic_profile.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/retyped.hpp"
#include "profiles/work_group.hpp"

namespace tilewright {
namespace {

TEST_CASE("profiles/data/generic.toml is up to date with the codelets") {
  std::ifstream file(TILEWRIGHT_DATA "/generic.toml");
  std::stringstream shipped;
  shipped << file.rdbuf();
  INFO("after a change of the codelets: tilewright emit --generic > profiles/data/generic.toml");
  CHECK(shipped.str() == write_profile(generic_profile()));
  CHECK(generic_profile_text() == shipped.str());
}

TEST_CASE("the built-in profile supports every transpose combination on the smallest devices") {
  const Profile profile = parse_profile(generic_profile_text(), "built-in");
  CHECK(profile == generic_profile());
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    bool scalar = false;
    for (const KernelRecord& record : profile.kernels) {
      scalar = scalar || (record.role == Role::kGemm &&
                          op_from_layouts(record.layout_a, *record.layout_b) == op &&
                          record.work_group == std::array{1, 1});
    }
    CHECK(scalar);
  }
  for (const KernelRecord& record : profile.kernels) {
    CHECK(record.source.find("fma(") == std::string::npos);  // slow emulation on some devices
    CHECK((!record.classes.empty() || record.multiples == Tile{1, 1, 1}));
    CHECK(record.build_options.empty());
  }
}

TEST_CASE("the built-in profile is small, because every program contains it") {
  CHECK(generic_profile_text().size() <= 320'000);
}

TEST_CASE("the built-in profile contains the emitted texts without the explanation of names") {
  for (const KernelRecord& record : generic_profile().kernels) {
    INFO(record.name);
    const ParameterPoint point = parse_point(record.point);
    CHECK(record.source == emit(point).source);
    CHECK(record.source.find("// tilewright") == 0);
    // The same text with an explanation of names ends with everything below the heading.
    const std::string explained = explained_source(point);
    CHECK(record.source.size() < explained.size());
    const std::size_t heading = record.source.find("\n\n");
    CHECK(explained.starts_with(record.source.substr(0, heading)));
    CHECK(explained.ends_with(record.source.substr(heading)));
  }
}

TEST_CASE("the kernels that tunings always measure are the same for every device") {
  const Profile basic = basic_profile();
  const Profile all = generic_profile();
  REQUIRE(basic.kernels.size() < all.kernels.size());
  for (std::size_t i = 0; i < all.kernels.size(); ++i) {
    CHECK(all.kernels[i].classes.empty() == (i < basic.kernels.size()));
  }
}

TEST_CASE("only kernels that differ just in bias and activation belong to the same family") {
  const auto family = [](const char* point) { return emit(parse_point(point)).family; };
  const std::string plain = family("tile_m=4 tile_n=4");
  CHECK(family("tile_m=4 tile_n=4 bias=n activation=relu") == plain);
  CHECK(family("tile_m=4 tile_n=4 bias=m") == plain);
  CHECK(family("tile_m=4 tile_n=2 bias=n activation=relu") != plain);
  CHECK(family("op=NT tile_m=4 tile_n=4") != plain);
}

TEST_CASE("iteration_k is the number of k steps per loop iteration if vectors run along k") {
  const auto iteration_k = [](const char* point) { return emit(parse_point(point)).iteration_k; };
  CHECK(iteration_k("op=NT tile_m=2 tile_n=2 tile_k=8 unroll_k=2 vector_width=8 inner=partial") ==
        16);
  CHECK(iteration_k("op=NT tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot") == 4);
  CHECK(iteration_k("tile_m=4 tile_n=4 tile_k=4 vector_width=4") == 1);
}

TEST_CASE("the built-in profile has the auxiliary kernels of networks") {
  const std::vector<KernelRecord> kernels = generic_profile().kernels;
  const auto has = [&](Role role, Activation activation) {
    return std::any_of(kernels.begin(), kernels.end(), [&](const KernelRecord& record) {
      return record.role == role && record.layout_a == Layout::R() &&
             record.layout_c == Layout::R() && record.activation == activation &&
             (role == Role::kSoftmax || record.bias == Dimension::kN);
    });
  };
  for (const Activation activation : kElementwiseActivations) {
    INFO(to_text(activation));
    CHECK(has(Role::kActivation, activation));
  }
  CHECK(has(Role::kSoftmax, Activation::kIdentity));
  CHECK(has(Role::kSoftmax, Activation::kLogSoftmax));
}

// Down to one work-item per work-group. Kernels with a split k need reduce kernels; others do not.
TEST_CASE("every kernel that a call may need has a variant for the smallest work-groups") {
  const Profile floats = generic_profile();
  for (const Profile& profile : {floats, retyped(floats, Precision::kHalf)}) {
    std::vector<KernelRecord> small;
    for (const KernelRecord& kernel : profile.kernels) {
      const bool everywhere = kernel.classes.empty() && kernel.local_bytes == 0;
      if (everywhere && launched_work_group(kernel, {1, {1, 1, 1}})) small.push_back(kernel);
    }
    const auto has = [&](Role role, const auto& does) {
      return std::any_of(small.begin(), small.end(), [&](const KernelRecord& kernel) {
        return kernel.role == role && does(kernel);
      });
    };
    for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
      CHECK(has(Role::kGemm, [&](const KernelRecord& kernel) {
        return op_from_layouts(kernel.layout_a, *kernel.layout_b) == op;
      }));
    }
    CHECK(has(Role::kPack, [](const KernelRecord& kernel) {
      return kernel.layout_a == Layout::C() && kernel.layout_c == Layout::R();
    }));
    for (const Activation activation : kElementwiseActivations) {
      INFO(to_text(activation));
      CHECK(has(Role::kActivation,
                [&](const KernelRecord& kernel) { return kernel.activation == activation; }));
    }
    for (const Activation activation : {Activation::kIdentity, Activation::kLogSoftmax}) {
      CHECK(has(Role::kSoftmax,
                [&](const KernelRecord& kernel) { return kernel.activation == activation; }));
    }
  }
}

}  // namespace
}  // namespace tilewright
