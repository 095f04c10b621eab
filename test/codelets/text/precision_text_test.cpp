#include "codelets/space/generic_profile.hpp"
#include "codelets/space/space.hpp"
#include "profiles/retyped.hpp"
#include "profiles/type_prelude.hpp"
#include "text_rules.hpp"

namespace tilewright {
namespace {

std::string prelude(Precision precision, const std::vector<std::string>& names) {
  KernelRecord kernel;
  kernel.precision = precision;
  return type_prelude(kernel, names);
}

TEST_CASE("the prelude of single and double precision differs in the type") {
  const std::vector<std::string> names = {"ELEMENT", "REAL",          "REAL4", "ELEMENT_BYTES",
                                          "LOAD",    "LOAD_ALIGNED4", "LOAD8", "STORE",
                                          "STORE4",  "STORE_ALIGNED2"};
  CHECK(prelude(Precision::kSingle, names) ==
        "#define REAL float\n"
        "#define REAL4 float4\n"
        "#define ELEMENT float\n"
        "#define ELEMENT_BYTES 4\n"
        "#define LOAD(p) *(p)\n"
        "#define LOAD8(p) vload8(0, p)\n"
        "#define STORE(x, p) *(p) = x\n"
        "#define STORE4(x, p) vstore4(x, 0, p)\n"
        "#define LOAD_ALIGNED4(p) *(__global const float4 *)(p)\n"
        "#define STORE_ALIGNED2(x, p) *(__global float2 *)(p) = x\n\n");
  std::string in_double = prelude(Precision::kSingle, names);
  for (std::size_t at = 0; (at = in_double.find("float")) != std::string::npos;) {
    in_double.replace(at, 5, "double");
  }
  in_double.replace(in_double.find("BYTES 4"), 7, "BYTES 8");
  CHECK(prelude(Precision::kDouble, names) ==
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + in_double);
}

TEST_CASE("half precision is loaded as float and rounded to nearest even when stored") {
  CHECK(prelude(Precision::kHalf,
                {"REAL2", "ELEMENT", "ELEMENT_BYTES", "LOAD", "LOAD4", "STORE", "STORE2"}) ==
        "#define REAL2 float2\n"
        "#define ELEMENT half\n"
        "#define ELEMENT_BYTES 2\n"
        "#define LOAD(p) vload_half(0, p)\n"
        "#define LOAD4(p) vload_half4(0, p)\n"
        "#define STORE(x, p) vstore_half_rte(x, 0, p)\n"
        "#define STORE2(x, p) vstore_half2_rte(x, 0, p)\n\n");
}

// PoCL 3.1 loads eight half-precision elements as if they were aligned to 16 bytes.
TEST_CASE("aligned and wide vectors of half precision are accessed as their bits") {
  CHECK(prelude(Precision::kHalf, {"ELEMENT", "LOAD_ALIGNED4", "STORE8"}) ==
        "#define ELEMENT half\n"
        "\nvoid STORE8(const float8 x, __global half *p)\n"
        "{\n"
        "  ushort8 bits;\n"
        "  vstore_half8_rte(x, 0, (half *)&bits);\n"
        "  vstore8(bits, 0, (__global ushort *)p);\n"
        "}\n"
        "\nfloat4 LOAD_ALIGNED4(__global const half *p)\n"
        "{\n"
        "  const ushort4 bits = *(__global const ushort4 *)p;\n"
        "  return vload_half4(0, (const half *)&bits);\n"
        "}\n\n");
  for (const char* name : {"LOAD16", "STORE_ALIGNED4"}) {
    const std::string text = prelude(Precision::kHalf, {name});
    CHECK(text.find("#define") == std::string::npos);
    CHECK(text.find(std::string(" ") + name + "(") != std::string::npos);
  }
}

TEST_CASE("a source may define the names of types only as this module does") {
  int lines = 0;
  for (const Precision precision : kPrecisions) {
    const std::string text = prelude(precision, type_names());
    CHECK_FALSE(forbidden_source(text));
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) {
      if (!line.starts_with("#define")) continue;
      ++lines;
      CHECK(is_type_definition(line));
      CHECK_FALSE(is_type_definition(line + " "));
      CHECK_FALSE(is_type_definition(line.substr(0, line.size() - 1)));
    }
  }
  CHECK(lines > 60);
  for (const char* line : {"", "REAL float", "#define REAL int", "#define REAL3 float3",
                           "#define LOAD(q) *(q)", "#define FLOAT float", "#define"}) {
    INFO(line);
    CHECK_FALSE(is_type_definition(line));
  }
}

TEST_CASE("partial sums and biases of half precision are floats in memory") {
  const auto has = [](const char* point, const char* text) {
    return emit(with_precision(parse_point(point), Precision::kHalf)).source.find(text) !=
           std::string::npos;
  };
  CHECK(has("gemm split_k=4", "__global REAL *restrict C"));
  CHECK(has("gemm split_k=4", "__global const ELEMENT *restrict A"));
  CHECK(has("gemm", "__global ELEMENT *restrict C"));
  CHECK(has("reduce bias=n", "__global const REAL *restrict in"));
  CHECK(has("reduce bias=n", "__global ELEMENT *restrict C"));
  CHECK(has("reduce bias=n", "__global const float *restrict bias"));
}

TEST_CASE("loaded values stay half precision if the kernel computes in half precision") {
  const std::string text =
      emit(parse_point("gemm precision=h tile_n=4 vector_width=4 accumulate_k=2 tile_k=2")).source;
  CHECK(text.find("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n") != std::string::npos);
  CHECK(text.find("const half4 b0_0 = vload4(0, b0);") != std::string::npos);
  CHECK(text.find("LOAD4(b0)") == std::string::npos);
  CHECK(text.find("beta * LOAD4(C)") != std::string::npos);
}

TEST_CASE("random points with half-precision sums give kernels that satisfy the rules") {
  SpaceLimits limits{{1024, {1024, 1024}}};
  limits.register_floats = 512;
  limits.local_memory_bytes = 65536;
  limits.local_memory_is_dedicated = limits.half_arithmetic = true;
  std::mt19937_64 random(7);
  const SpaceOptions blocks{true, {}, {{"accumulate_k", {"2", "4", "8", "16", "32", "all"}}}};
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    const Space space(with_precision(gemm_point(op), Precision::kHalf), limits, blocks);
    for (int i = 0; i < 20; ++i) {
      const ParameterPoint point = space.draw(random).value();
      const KernelRecord record = emit(point);
      check_text_rules(point, record);
      CHECK(record.accumulate_k == std::get<GemmPoint>(point).accumulate_k);
      CHECK(required_extension(record) == "cl_khr_fp16");
    }
  }
}

TEST_CASE("a double-precision kernel names its precision and counts its bytes") {
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

TEST_CASE("retyping the text of a kernel gives the kernel that the codelets emit") {
  for (const Precision precision : {Precision::kDouble, Precision::kHalf}) {
    int retyped_kernels = 0;
    for (const KernelRecord& built_in : generic_profile().kernels) {
      const ParameterPoint point = parse_point(built_in.point);
      const auto other = retyped(emit(point), precision);
      if (!other) continue;
      INFO(built_in.name);
      CHECK(*other == emit(with_precision(point, precision)));
      ++retyped_kernels;
    }
    CHECK(retyped_kernels > (precision == Precision::kHalf ? 40 : 25));
  }
}

TEST_CASE("the bytes of a vector are those of its elements") {
  const ParameterPoint gemm = parse_point(
      "gemm layout_a=R4x1C layout_b=C1x8R tile_m=4 tile_n=8 vector_width=4 "
      "access=aligned");
  const ParameterPoint pack =
      parse_point("pack from=R to=C large=yes tile_m=4 tile_n=4 vector_width=4 streaming=yes");
  const ParameterPoint split = parse_point("gemm tile_n=4 vector_width=4 split_k=2 access=aligned");
  for (const ParameterPoint& point : {gemm, pack, split}) {
    INFO(to_text(point));
    CHECK(retyped(emit(point), Precision::kDouble) ==
          emit(with_precision(point, Precision::kDouble)));
  }
  for (const ParameterPoint& point : {gemm, split}) {
    CHECK(retyped(emit(point), Precision::kHalf) == emit(with_precision(point, Precision::kHalf)));
  }
  CHECK_FALSE(retyped(emit(pack), Precision::kHalf));
  const auto has = [](const ParameterPoint& point, Precision precision, const char* text) {
    return emit(with_precision(point, precision)).source.find(text) != std::string::npos;
  };
  CHECK(has(gemm, Precision::kHalf, "(size_t)C % (4 * ELEMENT_BYTES) == 0"));
  CHECK(has(gemm, Precision::kHalf, "#define ELEMENT_BYTES 2\n"));
  CHECK(has(pack, Precision::kDouble, "((uintptr_t)to & (4 * ELEMENT_BYTES - 1)) == 0"));
  CHECK(has(split, Precision::kHalf, "(size_t)C % (4 * sizeof(REAL)) == 0"));
}

TEST_CASE("a retyped profile keeps the results of kernels that already have the precision") {
  Profile profile;
  const ParameterPoint point = parse_point("gemm tile_m=4");
  const ParameterPoint other = parse_point("gemm tile_m=2");
  profile.kernels = {emit(point), emit(other), emit(with_precision(point, Precision::kDouble))};
  for (const KernelRecord& kernel : profile.kernels) {
    const double ns = 1.0 + static_cast<double>(profile.results.size());
    profile.results.push_back({Op::kNN, 8, 8, 8, kernel.name, ns, ns, ns, 9, 0.1});
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

TEST_CASE("a text without type definitions is not retyped") {
  KernelRecord kernel = emit(parse_point("gemm"));
  kernel.source = "// gemm\n\n__kernel void f(__global float *C)\n{\n}\n";
  CHECK_FALSE(retyped(kernel, Precision::kHalf));
  kernel.source = "// gemm\n#define REAL float";
  CHECK_FALSE(retyped(kernel, Precision::kHalf));
}

TEST_CASE("kernels that do not consist of floats only are not retyped") {
  for (const char* point :
       {"gemm bias=n", "gemm activation=relu", "pack image=yes tile_m=4 tile_n=4 vector_width=4",
        "softmax", "activation", "gemm precision=h"}) {
    INFO(point);
    CHECK_FALSE(retyped(emit(parse_point(point)), Precision::kDouble));
  }
  for (const char* point :
       {"pack image=yes tile_m=4 tile_n=4 vector_width=4", "softmax precision=h"}) {
    INFO(point);
    CHECK_FALSE(retyped(emit(parse_point(point)), Precision::kHalf));
  }
}

TEST_CASE("network kernels exist in half precision, in the family of the plain kernel") {
  for (const char* text :
       {"gemm tile_n=4 vector_width=4 bias=n activation=sigmoid exp=native access=aligned",
        "gemv tile_wide=2 bias=n activation=clip", "reduce bias=m activation=gelu",
        "activation tile_n=4 vector_width=4 bias=n id_order=flat activation=softplus exp=half",
        "softmax work_group_n=32 activation=log math=mad", "softmax"}) {
    INFO(text);
    const ParameterPoint point = parse_point(text);
    const KernelRecord half = emit(with_precision(point, Precision::kHalf));
    CHECK(retyped(emit(point), Precision::kHalf) == half);
    CHECK(half.family == emit(without_epilogue(with_precision(point, Precision::kHalf))).family);
  }
}

TEST_CASE(
    "images need single precision, and biases and activations do not exist in double precision") {
  for (const char* point :
       {"gemm precision=d bias=n", "gemm precision=d activation=relu", "activation precision=d",
        "softmax precision=d", "pack precision=h image=yes tile_m=4 tile_n=4 vector_width=4",
        "pack precision=d image=yes tile_m=4 tile_n=4 vector_width=4",
        "gemm precision=d image_a=yes tile_k=4 tile_m=4 vector_width=4 inner=partial edges=padded",
        "reduce precision=d bias=n"}) {
    const Rule* rule = broken_structural_rule(parse_point(point));
    INFO(point);
    REQUIRE(rule != nullptr);
    CHECK(rule->name == "images_and_networks_have_type");
  }
}

}  // namespace
}  // namespace tilewright
