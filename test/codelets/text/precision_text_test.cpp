#include "codelets/space/generic_profile.hpp"
#include "golden.hpp"
#include "profiles/retyped.hpp"

namespace tilewright {
namespace {

TEST_CASE("floats become doubles: types and literals, and nothing else") {
  CHECK(in_precision("const float4 a = (float4)(0.0f); floats f0_4 = 1.5e-3f + 1e3f;",
                     Precision::kDouble) ==
        "const double4 a = (double4)(0.0); floats f0_4 = 1.5e-3 + 1e3;");
  CHECK(in_precision("__global float *x; vload16(0, x); c0_0.sf += 0xf;", Precision::kDouble) ==
        "__global double *x; vload16(0, x); c0_0.sf += 0xf;");
  CHECK(in_precision("float x = 0.5f * y1.lo", Precision::kSingle) == "float x = 0.5f * y1.lo");
}

TEST_CASE("golden texts in double precision: one of each codelet that products need") {
  for (const char* point :
       {"gemm precision=d op=NN tile_m=2 tile_n=4 tile_k=2 vector_width=4 work_group_m=8 "
        "work_group_n=4 access=aligned",
        "gemv precision=d layout_a=R layout_b=R tile_wide=2 tile_k=8 vector_width=4 "
        "work_group_k=32 work_group_wide=2",
        "pack precision=d from=C to=R tile_m=4 work_group_m=8 work_group_n=32 local=yes",
        "reduce precision=d vector_width=4 work_group_n=64"}) {
    check_golden(emit(parse_point(point)));
  }
}

TEST_CASE("a kernel in double precision says so, and counts its bytes") {
  const KernelRecord single =
      emit(parse_point("gemm work_group_m=4 work_group_n=4 tile_m=4 "
                       "tile_n=4 vector_width=4 cache_block_k=8 "
                       "local_a=yes local_b=yes"));
  const KernelRecord wide = emit(with_precision(parse_point(single.point), Precision::kDouble));
  CHECK(wide.precision == Precision::kDouble);
  CHECK(wide.name == "d" + single.name.substr(1));
  CHECK(wide.point == "gemm precision=d" + single.point.substr(4));
  CHECK(wide.local_bytes == 2 * single.local_bytes);
  CHECK(wide.source.find("float") == std::string::npos);
  CHECK(emit(parse_point("pack precision=d")).name.starts_with("dpack_"));
}

TEST_CASE("a kernel retyped by its text is the one that the codelets emit") {
  int retyped_kernels = 0;
  for (const KernelRecord& built_in : generic_profile().kernels) {
    const ParameterPoint point = parse_point(built_in.point);
    const auto wide = retyped(emit(point), Precision::kDouble);
    if (!wide) continue;
    INFO(built_in.name);
    CHECK(*wide == emit(with_precision(point, Precision::kDouble)));
    ++retyped_kernels;
  }
  CHECK(retyped_kernels > 25);
}

TEST_CASE("a retyped profile keeps the results of kernels that are of the precision already") {
  Profile profile;
  const ParameterPoint point = parse_point("gemm tile_m=4");
  const ParameterPoint other = parse_point("gemm tile_m=2");
  profile.kernels = {emit(point), emit(other), emit(with_precision(point, Precision::kDouble))};
  for (const KernelRecord& kernel : profile.kernels) {
    const double ns = 1.0 + static_cast<double>(profile.results.size());
    profile.results.push_back({Op::kNN, 8, 8, 8, kernel.name, ns, ns, ns, 9, 1.0, 0.1});
  }
  const Profile wide = retyped(profile, Precision::kDouble);
  REQUIRE(wide.kernels.size() == 2);
  CHECK(wide.kernels[0] == profile.kernels[2]);
  CHECK(wide.kernels[1] == emit(with_precision(other, Precision::kDouble)));
  REQUIRE(wide.results.size() == 2);
  for (const ShapeResult& result : wide.results) {
    CHECK(result.median_ns == (result.kernel == profile.kernels[2].name ? 3.0 : 2.0));
  }
  CHECK(retyped(profile, Precision::kSingle) == profile);
}

TEST_CASE("what is not of floats alone is not retyped") {
  for (const char* point :
       {"gemm bias=n", "gemm activation=relu", "pack image=yes tile_m=4 tile_n=4 vector_width=4",
        "softmax", "activation", "gemm precision=d",
        "gemm tile_n=4 vector_width=4 access=aligned"}) {
    INFO(point);
    CHECK_FALSE(retyped(emit(parse_point(point)), Precision::kDouble));
  }
}

TEST_CASE("images, biases and activations are of single precision") {
  for (const char* point :
       {"gemm precision=d bias=n", "gemm precision=d activation=relu",
        "pack precision=d image=yes tile_m=4 tile_n=4 vector_width=4",
        "gemm precision=d image_a=yes tile_k=4 tile_m=4 vector_width=4 inner=partial edges=padded",
        "reduce precision=d bias=n"}) {
    const Rule* rule = broken_structural_rule(parse_point(point));
    INFO(point);
    REQUIRE(rule != nullptr);
    CHECK(rule->name == "others_are_of_floats");
  }
}

}  // namespace
}  // namespace tilewright
