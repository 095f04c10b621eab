// Tests that the writer rejects kernels that the parser would reject.
#include "refused_change.hpp"

namespace tilewright {
namespace {

std::function<void(Profile&)> work_group(std::size_t kernel, int n, int m) {
  return [=](Profile& p) { p.kernels[kernel].work_group = {n, m}; };
}

TEST_CASE("invalid kernels are not written") {
  check({
      {"kernel: is missing",
       [](Profile& p) {
         p = Profile();
         p.kind = ProfileKind::kGeneric;
       }},
      {"kernel[1].name: must not be", [](Profile& p) { p.kernels[1].name.clear(); }},
      {"kernel[2].name: 'gemm_nn' is also", [](Profile& p) { p.kernels[2].name = "gemm_nn"; }},
      {"kernel[0].entry: 'other'", [](Profile& p) { p.kernels[0].entry = "other"; }},
      {"kernel[0].entry: must be the name", [](Profile& p) { p.kernels[0].entry = "a b"; }},
      {"kernel[0].entry: must be the name", [](Profile& p) { p.kernels[0].entry = "4f"; }},
      {"kernel[0].entry: must be the name", [](Profile& p) { p.kernels[0].entry.clear(); }},
      {"kernel[0].source: has", [](Profile& p) { p.kernels[0].source += "#include <x>\n"; }},
      {"kernel[0].source: is not TOML", [](Profile& p) { p.kernels[0].source += "// '''\n"; }},
      {"kernel[0].source: has line ends", [](Profile& p) { p.kernels[0].source += "\r\n"; }},
      {"kernel[0].source: is not TOML", [](Profile& p) { p.kernels[0].source += '\0'; }},
      {"kernel[0].build_options: '-Dx'", [](Profile& p) { p.kernels[0].build_options = "-Dx"; }},
      {"kernel[0].work_group: must", work_group(0, 0, 1)},
      {"kernel[0].work_group: must", work_group(0, 1, -1)},
      {"kernel[0].work_group: must",
       [](Profile& p) {
         p.kernels[0].work_group = {0, 0};
         p.kernels[0].local_bytes = 64;
       }},
      {"kernel[0].vector_width: must be at", [](Profile& p) { p.kernels[0].vector_width = 0; }},
      {"kernel[0].vector_width: must be at", [](Profile& p) { p.kernels[0].vector_width = 17; }},
      {"kernel[0].iteration_k: must be at", [](Profile& p) { p.kernels[0].iteration_k = 0; }},
      {"kernel[4].iteration_k: must be 1", [](Profile& p) { p.kernels[4].iteration_k = 2; }},
      {"kernel[0].work_group: has 257 ", work_group(0, 1, 257)},
      {"kernel[0].work_group: must", [](Profile& p) { p.kernels[0].work_group_k = 0; }},
      {"kernel[0].work_group: has 2 times 129 ",
       [](Profile& p) {
         p.kernels[0].work_group = {1, 2};
         p.kernels[0].work_group_k = 129;
       }},
      {"kernel[2].work_group: must have two", [](Profile& p) { p.kernels[2].work_group_k = 2; }},
      {"kernel[0].work_group: exceeds", work_group(0, 256, 1)},
      {"kernel[0].tile: must", [](Profile& p) { p.kernels[0].tile.k = 0; }},
      {"kernel[0].multiples: must", [](Profile& p) { p.kernels[0].multiples.n = 0; }},
      {"kernel[0].layout_b: is missing", [](Profile& p) { p.kernels[0].layout_b.reset(); }},
      {"kernel[2].layout_b: must be", [](Profile& p) { p.kernels[2].layout_b = Layout::R(); }},
      {"kernel[0].epilogue: ", [](Profile& p) { p.kernels[0].epilogue = Epilogue::kNone; }},
      {"kernel[2].epilogue: ", [](Profile& p) { p.kernels[2].epilogue = Epilogue::kAlphaBeta; }},
  });
}

TEST_CASE("the driver may choose the work-groups of a kernel without local memory") {
  Profile profile = sample_profile();
  profile.kernels[0].work_group = {0, 0};
  profile.kernels[0].local_bytes = 0;
  CHECK(parse_profile(write_profile(profile), "profile") == profile);
}

TEST_CASE("kernels with contradictory requirements are not written") {
  // 0: gemm, 2: pack, 3: gemm with chunks and an image, 4: gemv, 5: reduce, 6: activation, flat,
  // 7: softmax
  check({
      {"kernel[0].split_k: must be at least", [](Profile& p) { p.kernels[0].split_k = 0; }},
      {"kernel[0].stream_k: must be at least", [](Profile& p) { p.kernels[0].stream_k = -1; }},
      {"kernel[0].stream_k: must be absent",
       [](Profile& p) {
         p.kernels[0].split_k = 2;
         p.kernels[0].stream_k = 2;
       }},
      {"kernel[2].stream_k: must be absent", [](Profile& p) { p.kernels[2].stream_k = 2; }},
      {"kernel[2].split_k: must be 1", [](Profile& p) { p.kernels[2].split_k = 2; }},
      {"kernel[5].split_k: must be 1", [](Profile& p) { p.kernels[5].split_k = 2; }},
      {"kernel[0].local_bytes: must", [](Profile& p) { p.kernels[0].local_bytes = -1; }},
      {"kernel[0].local_bytes: is 32769", [](Profile& p) { p.kernels[0].local_bytes = 32769; }},
      {"kernel[0].alignment: ", [](Profile& p) { p.kernels[0].alignment = 0; }},
      {"kernel[0].alignment: ", [](Profile& p) { p.kernels[0].alignment = -4; }},
      {"kernel[0].alignment: ", [](Profile& p) { p.kernels[0].alignment = 6; }},
      {"kernel[0].alignment: ", [](Profile& p) { p.kernels[0].alignment = 32; }},
      {"kernel[0].alignment: is 1",
       [](Profile& p) {
         p.kernels[0].source +=
             "float4 f(__global const float *p) {\n"
             "  return *(__global const float4 *)(p);\n}\n";
       }},
      {"kernel[0].alignment: is 4",
       [](Profile& p) {
         p.kernels[0].alignment = 4;
         p.kernels[0].source +=
             "#define STORE_ALIGNED16(x, p) *(__global float16 *)(p) = x\n"
             "void f(__global ushort2 /* two */ * restrict p);\n";
       }},
      {"kernel[0].accumulate_k: must be absent", [](Profile& p) { p.kernels[0].accumulate_k = 8; }},
      {"kernel[0].narrow: ", [](Profile& p) { p.kernels[0].narrow = Dimension::kM; }},
      {"kernel[2].narrow: ", [](Profile& p) { p.kernels[2].narrow = Dimension::kM; }},
      {"kernel[4].narrow: must be 'm'", [](Profile& p) { p.kernels[4].narrow = Dimension::kNone; }},
      {"kernel[2].edges: ", [](Profile& p) { p.kernels[2].edges = Edges::kPadded; }},
      {"kernel[5].edges: ", [](Profile& p) { p.kernels[5].edges = Edges::kPadded; }},
      {"kernel[2].bias: ", [](Profile& p) { p.kernels[2].bias = Dimension::kM; }},
      {"kernel[2].activation: ", [](Profile& p) { p.kernels[2].activation = Activation::kRelu; }},
      {"kernel[4].bias: ", [](Profile& p) { p.kernels[4].bias = Dimension::kM; }},
      {"kernel[4].activation: ", [](Profile& p) { p.kernels[4].activation = Activation::kTanh; }},
      {"kernel[4].layout_b: is missing", [](Profile& p) { p.kernels[4].layout_b.reset(); }},
      {"kernel[5].layout_b: must be absent", [](Profile& p) { p.kernels[5].layout_b = Layout(); }},
      {"kernel[5].epilogue: ", [](Profile& p) { p.kernels[5].epilogue = Epilogue::kNone; }},
  });
}

TEST_CASE("vectors that need no alignment are accepted with alignment 1") {
  CHECK(refusal_after([](Profile& p) {
          p.kernels[0].source +=
              "// *(__global float4 *)p\n"
              "float4 f(__global const float *p4, __local const float4 *q) {\n"
              "  const float4 global4 = vload4(0, p4);\n"
              "  return global4 * q[0];\n}\n";
        }) == "");
  CHECK(refusal_after([](Profile& p) {
          p.kernels[0].alignment = 8;
          p.kernels[0].source += "float4 f(__global const float8 *p);\n";
        }) == "");
}

TEST_CASE("activation and softmax kernels have no properties of products") {
  check({
      {"kernel[6].layout_b: must be absent", [](Profile& p) { p.kernels[6].layout_b = Layout(); }},
      {"kernel[7].layout_b: must be absent", [](Profile& p) { p.kernels[7].layout_b = Layout(); }},
      {"kernel[6].epilogue: ", [](Profile& p) { p.kernels[6].epilogue = Epilogue::kAlphaBeta; }},
      {"kernel[7].epilogue: ", [](Profile& p) { p.kernels[7].epilogue = Epilogue::kAlphaBeta; }},
      {"kernel[6].work_group: must have two", [](Profile& p) { p.kernels[6].work_group_k = 2; }},
      {"kernel[7].split_k: must be 1", [](Profile& p) { p.kernels[7].split_k = 2; }},
      {"kernel[6].narrow: must be 'none'", [](Profile& p) { p.kernels[6].narrow = Dimension::kM; }},
      {"kernel[6].edges: ", [](Profile& p) { p.kernels[6].edges = Edges::kPadded; }},
      {"kernel[6].images: must not have a", [](Profile& p) { p.kernels[6].images.a = true; }},
      {"kernel[7].images: must not have c", [](Profile& p) { p.kernels[7].images.c = true; }},
      {"kernel[6].layout_c: ", [](Profile& p) { p.kernels[6].layout_c = Layout::R(); }},
      {"kernel[7].layout_c: ", [](Profile& p) { p.kernels[7].layout_c = Layout::C(); }},
      {"kernel[6].multiples: must be 1", [](Profile& p) { p.kernels[6].multiples.n = 4; }},
      {"kernel[7].multiples: must be 1", [](Profile& p) { p.kernels[7].multiples.m = 4; }},
      {"kernel[6].alignment: must be 1", [](Profile& p) { p.kernels[6].alignment = 4; }},
      {"kernel[7].bias: must be 'none'", [](Profile& p) { p.kernels[7].bias = Dimension::kN; }},
      {"kernel[7].activation: ", [](Profile& p) { p.kernels[7].activation = Activation::kRelu; }},
  });
}

TEST_CASE("only activation kernels process memory linearly, in one dimension") {
  for (const char* message :
       {"kernel[0].id_order: must be 'nm' or 'mn'", "kernel[2].id_order: must be 'nm' or 'mn'",
        "kernel[5].id_order: must be 'nm' or 'mn'", "kernel[7].id_order: must be 'nm' or 'mn'"}) {
    const auto index = static_cast<std::size_t>(message[7] - '0');
    check({{message, [index](Profile& p) { p.kernels[index].id_order = IdOrder::kFlat; }}});
  }
  check({
      {"kernel[7].id_order: ", [](Profile& p) { p.kernels[7].id_order = IdOrder::kMN; }},
      {"kernel[6].work_group: must have 1", work_group(6, 32, 2)},
      {"kernel[6].tile: must have 1 row", [](Profile& p) { p.kernels[6].tile.m = 2; }},
  });
  CHECK(refusal_after([](Profile& p) {
          p.kernels[6].id_order = IdOrder::kMN;
          p.kernels[6].work_group = {32, 2};
          p.kernels[6].tile.m = 2;
        }).empty());
}

TEST_CASE("kernels with impossible layouts are not written") {
  const Layout chunks = *parse_layout("R 4 4 R");
  check({
      {"kernel[3].images: ", [](Profile& p) { p.device.limits.image_support = false; }},
      {"kernel[4].images: must not have a", [](Profile& p) { p.kernels[4].images.a = true; }},
      {"kernel[2].images: must not have a", [](Profile& p) { p.kernels[2].images.b = true; }},
      {"kernel[0].images: must not have c", [](Profile& p) { p.kernels[0].images.c = true; }},
      {"kernel[5].images: must not have c", [](Profile& p) { p.kernels[5].images.c = true; }},
      {"kernel[3].layout_a: ", [](Profile& p) { p.kernels[3].images.a = true; }},
      {"kernel[3].layout_b: ", [&](Profile& p) { p.kernels[3].layout_b = chunks; }},
      {"kernel[2].layout_c: ",
       [&](Profile& p) {
         p.kernels[2].images.c = true;
         p.kernels[2].layout_c = chunks;
       }},
      {"kernel[3].multiples: must be whole", [](Profile& p) { p.kernels[3].multiples.m = 12; }},
      {"kernel[0].multiples: must be whole",
       [&](Profile& p) {
         p.kernels[0].layout_b = chunks;
         p.kernels[0].multiples = {1, 4, 2};
       }},
      {"kernel[3].multiples: must be whole", [](Profile& p) { p.kernels[3].multiples.n = 2; }},
      {"kernel[4].layout_c: ",
       [&](Profile& p) {
         p.kernels[4].layout_c = chunks;
         p.kernels[4].multiples = {4, 4, 1};
       }},
      {"kernel[5].layout_a: ", [](Profile& p) { p.kernels[5].layout_a = Layout::C(); }},
      {"kernel[5].layout_c: ", [&](Profile& p) { p.kernels[5].layout_c = chunks; }},
  });
  // A pack kernel supports any extents.
  CHECK(refusal_after([&](Profile& p) { p.kernels[2].layout_c = chunks; }).empty());
}

TEST_CASE("kernels of a generic profile are not limited by a device") {
  CHECK(refusal_after([](Profile& p) {
          p.kind = ProfileKind::kGeneric;
          p.device = {};
          p.results.clear();
          p.pack_results.clear();
          p.models.clear();
          p.kernels[0].work_group = {4096, 4096};
          p.kernels[0].local_bytes = 1 << 30;
        }).empty());
}

TEST_CASE("the entry is searched only where a kernel is declared") {
  const auto with_source = [](const std::string& source) {
    return refusal_after([&](Profile& p) { p.kernels[0].source = source; });
  };
  CHECK(with_source("kernel void gemm_nn() {}").empty());
  CHECK(with_source("__kernel\n__attribute__((aligned(1)))\nvoid\ngemm_nn\n(int a)\n{}").empty());
  CHECK(with_source("__kernel void gemm_/**/(int a); __kernel void gemm_nn(){}").empty());
  for (const std::string source :
       {"", "void gemm_nn() {}", "// __kernel void gemm_nn() {}", "__kernel void gemm_nn2() {}",
        "__kernel void sgemm_nn() {}", "__kernel void f() { gemm_nn(); }", "__kernel int gemm_nn;",
        "__kernel void f(); void gemm_nn() {}", "kernels void gemm_nn() {}"}) {
    INFO(source);
    CHECK(with_source(source).find("kernel[0].entry: 'gemm_nn'") != std::string::npos);
  }
}

}  // namespace
}  // namespace tilewright
