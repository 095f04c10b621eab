// Are profiles of format 1 still read, and what they leave unsaid derived?
#include <string>

#include "catch.hpp"
#include "format_1_text.hpp"
#include "profiles/digest.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

KernelRecord read_with_point(const std::string& point, Role role = Role::kGemm) {
  Profile profile = sample_profile();
  for (KernelRecord& kernel : profile.kernels) kernel.point = point;
  for (const KernelRecord& kernel : parse_profile(format_1_text(profile), "old.toml").kernels) {
    if (kernel.role == role) return kernel;
  }
  FAIL("no such kernel");
  return {};
}

TEST_CASE("a profile of format 1 has the same kernels, results and device") {
  const Profile profile = sample_profile();
  Profile read = parse_profile(format_1_text(profile), "old.toml");
  REQUIRE(read.kernels.size() == profile.kernels.size());
  for (std::size_t i = 0; i < read.kernels.size(); ++i) {
    read.kernels[i].vector_width = profile.kernels[i].vector_width;
    read.kernels[i].turn_k = profile.kernels[i].turn_k;
    read.kernels[i].family = profile.kernels[i].family;
  }
  CHECK(read == profile);
}

TEST_CASE("in format 1 the point says what plans predict from") {
  const KernelRecord outer = read_with_point("gemm tile_k=2 unroll_k=4 vector_width=8");
  CHECK((outer.vector_width == 8 && outer.turn_k == 1));
  const KernelRecord dot = read_with_point("gemm tile_k=2 unroll_k=4 vector_width=2 inner=dot");
  CHECK((dot.vector_width == 2 && dot.turn_k == 8));
  CHECK(read_with_point("gemm inner=partial tile_k=2").turn_k == 2);
  CHECK(read_with_point("gemv inner=dot", Role::kGemv).turn_k == 1);
  CHECK((read_with_point("").vector_width == 1 && read_with_point("").turn_k == 1));
}

TEST_CASE("in format 1 the point without bias and activation is the family") {
  const std::string family = digest_of_bytes("gemm tile_m=4");
  CHECK(read_with_point("gemm tile_m=4").family == family);
  CHECK(read_with_point("gemm tile_m=4 bias=n activation=relu").family == family);
  CHECK(read_with_point("gemm bias=m tile_m=4").family == family);
  CHECK(read_with_point("gemm tile_m=8 bias=n").family != family);
  CHECK(read_with_point("").family.empty());
}

TEST_CASE("whatever stands in a point, a profile of format 1 is read") {
  for (const char* point :
       {"vector_width=99999999999999999999", "vector_width=-4 unroll_k=-1 inner=dot",
        "vector_width= unroll_k= inner=", "unroll_k=2147483647 inner=dot", "  =  = inner=dot"}) {
    const KernelRecord kernel = read_with_point(point);
    CHECK((kernel.vector_width >= 1 && kernel.vector_width <= 16 && kernel.turn_k >= 1));
  }
}

TEST_CASE("a format has its own keys only") {
  std::string text = write_profile(sample_profile());
  const auto new_keys = refusal_of(edited(text, "format = 2", "format = 1"));
  REQUIRE(new_keys);
  CHECK(new_keys->key().starts_with("kernel[0]."));
  const auto old_keys =
      refusal_of(edited(format_1_text(sample_profile()), "format = 1", "format = 2"));
  REQUIRE(old_keys);
  CHECK(old_keys->key() == "kernel[0].vector_width");
}

}  // namespace
}  // namespace tilewright
