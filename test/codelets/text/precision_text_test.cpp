#include "codelets/space/generic_profile.hpp"
#include "codelets/space/space.hpp"
#include "golden.hpp"
#include "profiles/retyped.hpp"

namespace tilewright {
namespace {

std::string rewritten(const std::string& code, Precision precision) {
  KernelRecord kernel;
  kernel.precision = precision;
  return in_precision(code, kernel);
}

TEST_CASE("floats become doubles: types and literals, and nothing else") {
  CHECK(rewritten("const float4 a = (float4)(0.0f); floats f0_4 = 1.5e-3f + 1e3f;",
                  Precision::kDouble) ==
        "const double4 a = (double4)(0.0); floats f0_4 = 1.5e-3 + 1e3;");
  CHECK(rewritten("__global float *x; vload16(0, x); c0_0.sf += 0xf;", Precision::kDouble) ==
        "__global double *x; vload16(0, x); c0_0.sf += 0xf;");
  CHECK(rewritten("float x = 0.5f * y1.lo", Precision::kSingle) == "float x = 0.5f * y1.lo");
}

TEST_CASE("halfs become floats where they are read, and are rounded where they are written") {
  const std::string bias = "__global const float *restrict bias) {";
  const std::string to = "__global half *to, __global const half *restrict in, " + bias;
  for (const auto& [floats, halfs] : {
           std::pair("x = beta * *to;", "x = beta * vload_half(0, to);"),
           {"x = a * b * in[(size_t)i * ld + p[2]];",
            "x = a * b * vload_half((size_t)i * ld + p[2], in);"},
           {"*to = in[1] * 2.0f;", "vstore_half_rte(vload_half(1, in) * 2.0f, 0, to);"},
           {"if (x == *to) to[i] = y;", "if (x == vload_half(0, to)) vstore_half_rte(y, i, to);"},
           {"x = vload4(0, in + 4 * (size_t)ld);", "x = vload_half4(0, in + 4 * (size_t)ld);"},
           {"vstore2(f(x, *in).s01, 0, to);",
            "vstore_half2_rte(f(x, vload_half(0, in)).s01, 0, to);"},
           {"*(tile + 4) = *in; // *in", "*(tile + 4) = vload_half(0, in); // *in"},
           {"x += vload4(0, bias + offset_bias + col); x += bias[row];",
            "x += vload4(0, bias + offset_bias + col); x += bias[row];"},
           {"y = vload4(0, la); z = *la * *lb; ++to; in += 4;",
            "y = vload4(0, la); z = *la * *lb; ++to; in += 4;"},
       }) {
    CHECK(rewritten("__global float *to, __global const float *restrict in, " + bias + floats,
                    Precision::kHalf) == to + halfs);
  }
}

TEST_CASE("whole vectors of halfs are read and written in one access each") {
  const std::string code =
      "// C = A.\n\n"
      "void f(__global float *to, __global const float *in) {\n"
      "  float4 x = *(__global const float4 *)(in + k) + *(__global const float4 *)in;\n"
      "  *(__global float8 *)to = x;\n}\n";
  CHECK(rewritten(code, Precision::kHalf) ==
        "// C = A.\n\n"
        "// Halfs that lie on a multiple of their bytes, in one load.\n"
        "float4 load_halfs4(__global const half *from)\n"
        "{\n"
        "  const ushort4 bits = *(__global const ushort4 *)from;\n"
        "  return vload_half4(0, (const half *)&bits);\n"
        "}\n\n"
        "void store_halfs8(const float8 x, __global half *to)\n"
        "{\n"
        "  ushort8 bits;\n"
        "  vstore_half8_rte(x, 0, (half *)&bits);\n"
        "  *(__global ushort8 *)to = bits;\n"
        "}\n\n"
        "void f(__global half *to, __global const half *in) {\n"
        "  float4 x = load_halfs4(in + k) + load_halfs4(in);\n"
        "  store_halfs8(x, to);\n}\n");
}

// PoCL 3.1 reads eight halfs as if they lay on a multiple of 16 bytes.
TEST_CASE("vectors of eight halfs and more that lie anywhere go through vectors of their bits") {
  const std::string code =
      "// C = A.\n\n"
      "void f(__global float *to, __global const float *in) {\n"
      "  vstore8(vload8(0, in + 1) + vload4(0, in).xyzwxyzw, 0, to);\n}\n";
  CHECK(rewritten(code, Precision::kHalf) ==
        "// C = A.\n\n"
        "// Halfs that lie anywhere.\n"
        "float8 vload_halfs8(const size_t offset, __global const half *from)\n"
        "{\n"
        "  const ushort8 bits = vload8(offset, (__global const ushort *)from);\n"
        "  return vload_half8(0, (const half *)&bits);\n"
        "}\n\n"
        "void vstore_halfs8(const float8 x, const size_t offset, __global half *to)\n"
        "{\n"
        "  ushort8 bits;\n"
        "  vstore_half8_rte(x, 0, (half *)&bits);\n"
        "  vstore8(bits, offset, (__global ushort *)to);\n"
        "}\n\n"
        "void f(__global half *to, __global const half *in) {\n"
        "  vstore_halfs8(vload_halfs8(0, in + 1) + vload_half4(0, in).xyzwxyzw, 0, to);\n}\n");
}

TEST_CASE("text that no emitter writes is rewritten, too, somehow") {
  for (const char* code :
       {"__global", "__global const", "__global float", "__global float *", "*", "*(__global float",
        "__global float *x; *", "x[", "vload4(", "vstore4", "__global float *x; x[",
        "(size_t)C % x", "(size_t)C % ", "(uintptr_t)to & 99999999999999999999999"}) {
    INFO(code);
    CHECK_FALSE(rewritten(code, Precision::kHalf).empty());
    CHECK_FALSE(rewritten(code, Precision::kDouble).empty());
  }
}

TEST_CASE("parts of sums stay floats") {
  const std::string code = "__global const float *in, __global float *out) { *out = *in; }";
  KernelRecord kernel;
  kernel.precision = Precision::kHalf;
  kernel.split_k = 4;
  CHECK(in_precision(code, kernel) ==
        "__global const half *in, __global float *out) { *out = vload_half(0, in); }");
  kernel = KernelRecord();
  kernel.precision = Precision::kHalf;
  kernel.role = Role::kReduce;
  CHECK(in_precision(code, kernel) ==
        "__global const float *in, __global half *out) { vstore_half_rte(*in, 0, out); }");
}

TEST_CASE("golden texts of doubles and halfs: one of each codelet that products need") {
  for (const Precision precision : {Precision::kDouble, Precision::kHalf}) {
    for (const char* point :
         {"gemm tile_m=2 tile_n=4 tile_k=2 vector_width=4 work_group_m=8 work_group_n=4 "
          "access=aligned",
          "gemv tile_wide=2 tile_k=8 vector_width=4 work_group_k=32 work_group_wide=2",
          "pack tile_m=4 work_group_m=8 work_group_n=32 local=yes",
          "reduce vector_width=4 work_group_n=64"}) {
      check_golden(emit(with_precision(parse_point(point), precision)));
    }
  }
}

TEST_CASE("golden texts of sums in halfs: closed at a turn, in blocks, to the end") {
  for (const char* point :
       {"tile_m=4 tile_n=4 tile_k=4 vector_width=4 accumulate_k=4 work_group_m=8 work_group_n=8 "
        "access=aligned",
        "op=TN tile_m=2 tile_n=4 vector_width=4 accumulate_k=16 multiply_add=fma work_group_m=8 "
        "work_group_n=8 cache_block_k=16 local_a=yes local_b=yes",
        "op=NT tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot accumulate_k=all "
        "work_group_k=4"}) {
    check_golden(emit(with_precision(parse_point(point), Precision::kHalf)));
  }
}

TEST_CASE("what is read stays halfs where a kernel computes with halfs") {
  KernelRecord kernel;
  kernel.precision = Precision::kHalf;
  kernel.accumulate_k = 8;
  CHECK(asking_for(kernel) == "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
  CHECK(in_precision("__global const float *restrict in, __global float *out) {\n"
                     "const half4 x = vload4(0, in); *out = 2.0f * in[1]; y = *out; }",
                     kernel) ==
        "__global const half *restrict in, __global half *out) {\n"
        "const half4 x = vload4(0, in); vstore_half_rte(2.0f * in[1], 0, out); "
        "y = vload_half(0, out); }");
}

TEST_CASE("random points with sums in halfs are kernels whose text keeps the rules") {
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
      CHECK(extension_of(record) == "cl_khr_fp16");
    }
  }
}

TEST_CASE("golden texts of halfs: what nets need beside products") {
  for (const char* point : {"gemm tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8 "
                            "bias=n activation=gelu_tanh",
                            "reduce vector_width=4 work_group_n=64 bias=n activation=relu",
                            "activation tile_m=2 tile_n=8 vector_width=8 work_group_n=8 bias=n "
                            "activation=leaky_relu",
                            "softmax vector_width=4 work_group_n=32", "softmax activation=log"}) {
    check_golden(emit(with_precision(parse_point(point), Precision::kHalf)));
  }
}

TEST_CASE("no built-in kernel of halfs reads or writes a half as a float") {
  for (const KernelRecord& built_in : generic_profile().kernels) {
    const auto half = retyped(emit(parse_point(built_in.point)), Precision::kHalf);
    if (!half) continue;
    INFO(half->source);
    // Parts of sums and biases are the only floats in global memory.
    std::string rest = half->source;
    const auto without = [&](std::string_view part) {
      for (std::size_t at = 0; (at = rest.find(part)) != std::string::npos;) {
        rest.erase(at, part.size());
      }
    };
    without("__global const float *restrict bias");
    if (half->role == Role::kReduce) {
      without("__global const float *restrict in");
      without("__global const float *from");
    }
    CHECK(rest.find("__global const float") == std::string::npos);
    if (half->split_k == 1) CHECK(rest.find("__global float") == std::string::npos);
    CHECK(half->local_bytes == built_in.local_bytes);
    CHECK(half->source.find("EXTENSION") == std::string::npos);
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

TEST_CASE("a vector's bytes are those of its elements") {
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
  CHECK(has(gemm, Precision::kSingle, "(size_t)C % 16 == 0"));
  CHECK(has(gemm, Precision::kDouble, "(size_t)C % 32 == 0"));
  CHECK(has(gemm, Precision::kHalf, "(size_t)C % 8 == 0"));
  CHECK(has(pack, Precision::kSingle, "((uintptr_t)to & 15) == 0"));
  CHECK(has(pack, Precision::kDouble, "((uintptr_t)to & 31) == 0"));
  CHECK_FALSE(has(split, Precision::kHalf, "(size_t)C % 8 == 0"));
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

TEST_CASE("what nets need of floats there is of halfs, in the family of the plain kernel") {
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

TEST_CASE("images are of single precision, biases and activations not of double") {
  for (const char* point :
       {"gemm precision=d bias=n", "gemm precision=d activation=relu", "activation precision=d",
        "softmax precision=d", "pack precision=h image=yes tile_m=4 tile_n=4 vector_width=4",
        "pack precision=d image=yes tile_m=4 tile_n=4 vector_width=4",
        "gemm precision=d image_a=yes tile_k=4 tile_m=4 vector_width=4 inner=partial edges=padded",
        "reduce precision=d bias=n"}) {
    const Rule* rule = broken_structural_rule(parse_point(point));
    INFO(point);
    REQUIRE(rule != nullptr);
    CHECK(rule->name == "images_and_nets_have_type");
  }
}

}  // namespace
}  // namespace tilewright
