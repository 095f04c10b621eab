#include "tuner/search/starter.hpp"

#include <algorithm>

#include "catch.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/measure/device/limits_file.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kPanel =
    "gemm layout_a=R4x1C layout_b=C1x4R tile_m=4 tile_n=4 vector_width=4 work_group_m=8 "
    "work_group_n=8 access=aligned";

TEST_CASE("a starter profile is predicted, and contains what its kernels need") {
  const DeviceInfo paper = read_device("mali-t628");
  const auto chosen = parse_chosen(std::string("12.5\t") + kPanel +
                                   "\n3.25\tgemm op=NT tile_m=2 work_group_m=4 work_group_n=4\n");
  REQUIRE(chosen.size() == 2);
  CHECK(chosen[0].gflops == 12.5);
  const Profile profile = starter_profile(paper, chosen, "test");
  CHECK(profile.kind == ProfileKind::kPredicted);
  CHECK(profile.device.name == "Mali-T628|Mali-T62x");
  CHECK(profile.device.compute_units == 4);
  CHECK(profile.device.limits.max_work_group_size == 64);
  CHECK(profile.device.limits.max_work_item_sizes == std::array<std::int64_t, 2>{8, 8});
  CHECK(profile.device.limits.local_memory_bytes == 0);
  // Two products, and packs from both plain layouts to each panel layout.
  CHECK(profile.kernels.size() == 2 + 4);
  REQUIRE(profile.results.size() == 6);
  CHECK(profile.results[0].median_ns == Approx(2.0 * 96 * 96 * 96 / 12.5));
  CHECK(profile.results[0].samples == 0);
  CHECK(profile.results[3].op == Op::kNT);
  CHECK(parse_profile(write_profile(profile), "written") == profile);
}

TEST_CASE("half-precision kernels get half-precision pack kernels") {
  const auto chosen =
      parse_chosen(std::string("12.5\t") + kPanel + "\n6.5\t" + kPanel + " precision=h\n");
  const Profile profile = starter_profile(read_device("mali-t628"), chosen, "test");
  for (const Precision precision : {Precision::kSingle, Precision::kHalf}) {
    INFO(to_text(precision));
    const auto count = [&](Role role) {
      return std::count_if(profile.kernels.begin(), profile.kernels.end(),
                           [&](const KernelRecord& kernel) {
                             return kernel.precision == precision && kernel.role == role;
                           });
    };
    CHECK(count(Role::kGemm) == 1);
    CHECK(count(Role::kPack) == 4);
  }
  CHECK(profile.results.size() == 6);
  CHECK(parse_profile(write_profile(profile), "written") == profile);
}

std::string refusal(const std::string& text) {
  try {
    starter_profile(read_device("mali-t628"), parse_chosen(text), "test");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("invalid lists of kernels are rejected") {
  CHECK_THAT(refusal(std::string("1\t") + kPanel + "\nfast\tgemm\n"), ContainsSubstring("line 2"));
  CHECK_THAT(refusal("-1\tgemm\n"), ContainsSubstring("line 1"));
  CHECK_THAT(refusal("1 gemm\n"), ContainsSubstring("line 1"));
  CHECK(refusal("1\tgemm tile_m=5\n").find("line 1: ") == 0);
  CHECK(refusal("1\tgemm work_group_m=256 work_group_n=256\n")
            .find("this kernel does not fit Mali-T628: work_group_fits (") == 0);
}

}  // namespace
}  // namespace tilewright
