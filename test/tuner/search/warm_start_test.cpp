#include "tuner/search/warm_start.hpp"

#include <algorithm>
#include <limits>

#include "catch.hpp"
#include "codelets/space/emit.hpp"

namespace tilewright {
namespace {

constexpr SpaceLimits kLimits{
    {256, {256, 256}, 32768, true, true}, 16, 128, std::numeric_limits<std::int64_t>::max()};

const std::string kBest = "gemm tile_m=4 tile_n=4";
const std::string kSecondPoint = "gemm tile_m=2";
const std::string kPackedPoint = "gemm layout_a=R8x1C tile_m=8";
const std::string kOtherPoint = "gemm layout_b=C tile_m=4";
const std::string kHuge = "gemm work_group_m=256";

Profile sample_profile() {
  Profile profile;
  for (const std::string& text : {kOtherPoint, kSecondPoint, kPackedPoint, kBest, kHuge}) {
    profile.kernels.push_back(emit(parse_point(text)));
  }
  const auto result = [&](Op op, std::int64_t m, const std::string& text, double ns) {
    profile.results.push_back({op, m, 8, 8, kernel_name(parse_point(text)), ns, ns, ns, 5, 0});
  };
  result(Op::kNN, 8, kBest, 100);
  result(Op::kNN, 8, kSecondPoint, 150);
  result(Op::kNN, 8, kPackedPoint, 90);
  result(Op::kNN, 16, kBest, 100);
  result(Op::kNN, 16, kSecondPoint, 200);
  result(Op::kNT, 8, kOtherPoint, 1);
  return profile;
}

std::vector<std::string> texts(const std::vector<ParameterPoint>& points) {
  std::vector<std::string> result;
  for (const ParameterPoint& point : points) result.push_back(to_text(point));
  return result;
}

using Texts = std::vector<std::string>;

TEST_CASE("a profile is a warm start for another precision, whatever its texts are") {
  Profile profile = sample_profile();
  profile.kernels.push_back(emit(parse_point("gemm precision=h tile_m=2")));
  profile.kernels.push_back(emit(parse_point("gemm precision=d tile_m=2")));
  profile.kernels.push_back(emit(parse_point("gemm bias=n")));
  for (KernelRecord& kernel : profile.kernels) kernel.source = "of an older generator";
  const Profile half = warm_profile(profile, Precision::kHalf);
  REQUIRE(half.kernels.size() == 6);
  CHECK(half.kernels.front() == profile.kernels[5]);
  for (std::size_t i = 1; i < half.kernels.size(); ++i) {
    CHECK(half.kernels[i] == emit(parse_point(half.kernels[i].point)));
    CHECK(half.kernels[i].precision == Precision::kHalf);
  }
  CHECK(texts(warm_points(half, Op::kNN, kLimits)).front() == "gemm precision=h tile_m=4 tile_n=4");
  // Biases have no double precision.
  CHECK(warm_profile(profile, Precision::kDouble).kernels.size() == 5);
}

TEST_CASE("a warm start has the profile's kernels for the op, the best first") {
  const Profile profile = sample_profile();
  CHECK(texts(warm_points(profile, Op::kNN, kLimits)) ==
        Texts{kBest, kSecondPoint, kPackedPoint, kHuge});
  CHECK(texts(warm_points(profile, Op::kNT, kLimits)) == Texts{kOtherPoint});
  CHECK(warm_points(profile, Op::kTN, kLimits).empty());
  CHECK(warm_points({}, Op::kNN, kLimits).empty());
}

TEST_CASE("a warm start leaves out kernels that are invalid on this device or in this version") {
  Profile profile = sample_profile();
  SpaceLimits small = kLimits;
  small.max_work_group_size = 64;
  small.max_work_item_sizes = {64, 64};
  CHECK(texts(warm_points(profile, Op::kNN, small)) == Texts{kBest, kSecondPoint, kPackedPoint});
  profile.kernels[1].point = "gemm colour=red";
  profile.kernels[2].point = "";
  CHECK(texts(warm_points(profile, Op::kNN, small)) == Texts{kBest});
}

TEST_CASE("a warm start has the profile's pack and reduction kernels for a requirement") {
  Profile profile = sample_profile();
  for (const char* text : {"pack tile_m=2", "pack from=R to=R8x1C tile_m=8", "reduce"}) {
    profile.kernels.push_back(emit(parse_point(text)));
  }
  profile.kernels.back().point = "reduce of=another_version";
  CHECK(texts(warm_auxiliaries(profile, parse_point("pack"), kLimits)) == Texts{"pack tile_m=2"});
  CHECK(texts(warm_auxiliaries(profile, parse_point("pack from=R to=R8x1C"), kLimits)) ==
        Texts{"pack from=R to=R8x1C tile_m=8"});
  CHECK(warm_auxiliaries(profile, parse_point("pack from=C to=R8x1C"), kLimits).empty());
  CHECK(warm_auxiliaries(profile, parse_point("reduce"), kLimits).empty());
  profile.kernels.push_back(emit(parse_point("reduce vector_width=4")));
  profile.kernels.push_back(emit(parse_point("reduce vector_width=4 bias=n")));
  CHECK(texts(warm_auxiliaries(profile, parse_point("reduce"), kLimits)) ==
        Texts{"reduce vector_width=4"});
}

TEST_CASE(
    "a flat activation kernel, which supports no gaps, does not replace one that supports them") {
  const std::string requirement = "activation bias=n activation=relu";
  const std::string flat = "activation id_order=flat bias=n activation=relu";
  Profile profile;
  for (const std::string& text : {requirement, flat}) {
    profile.kernels.push_back(emit(parse_point(text)));
  }
  CHECK(texts(warm_auxiliaries(profile, parse_point(requirement), kLimits)) == Texts{requirement});
  CHECK(texts(warm_auxiliaries(profile, parse_point(flat), kLimits)) == Texts{flat});
}

TEST_CASE("the built-in kernels before a tuning cover each likely class of the device") {
  DeviceInfo device;
  device.kind = DeviceKind::kGpu;
  device.identity.limits.local_memory_is_dedicated = true;
  device.identity.compute_units = 4;
  const auto of_class = [](const Profile& profile, DeviceClass value) {
    return std::any_of(profile.kernels.begin(), profile.kernels.end(),
                       [&](const auto& kernel) { return kernel.classes == DeviceClasses{value}; });
  };
  const std::vector<Profile> small = built_in_for(device);
  REQUIRE(small.size() == 2);
  CHECK(of_class(small[0], DeviceClass::kGpuLocal));
  CHECK_FALSE(of_class(small[0], DeviceClass::kGpu));
  CHECK(of_class(small[1], DeviceClass::kGpu));
  device.identity.compute_units = 100;
  CHECK(built_in_for(device).size() == 1);
  device.kind = DeviceKind::kOther;
  CHECK(built_in_for(device).size() == 1);
}

}  // namespace
}  // namespace tilewright
