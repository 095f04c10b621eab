// Tests the library on a device with all ways of packing operands.
#include "operands_case.hpp"
#include "runtime/api/plan.hpp"

namespace tilewright {
namespace {

TEST_CASE("A, B or both are packed into the kernel's layouts") {
  const TestDevice d;
  struct Case {
    const char* a;
    const char* b;
    Tile multiples;
    Names names;
  };
  const std::vector<Case> cases = {
      {"R 8 1 C", "R", {8, 1, 1}, {"a_from_R", "gemm"}},
      {"R", "C 1 32 R", {1, 32, 1}, {"b_from_R", "gemm"}},
      {"R 4 4 R", "C 4 4 C", {4, 4, 4}, {"a_from_R", "b_from_R", "gemm"}},
      {"R 2 4 R", "C 4 2 C", {6, 4, 8}, {"a_from_R", "b_from_R", "gemm"}},
      {"R 16 16 R 4 4 C 2 2 R", "R 4 4 R 2 2 R", {16, 4, 16}, {"a_from_R", "b_from_R", "gemm"}}};
  for (const Case& c : cases) {
    INFO(c.a << " times " << c.b);
    KernelRecord gemm = written_gemm("gemm", c.a, c.b, "R");
    gemm.multiples = c.multiples;
    std::vector<KernelRecord> kernels = {with_source(gemm)};
    if (std::string(c.a) != "R") add_kernels(kernels, make_packs("a", c.a));
    if (std::string(c.b) != "R") add_kernels(kernels, make_packs("b", c.b));
    LibraryHandle library = make_library(d, kernels);
    CHECK(library->kernels_for(kCall) == c.names);
    check_products(d, library);
  }
}

TEST_CASE("C is packed if it is read, and unpacked") {
  const TestDevice d;
  for (const char* layout : {"C", "C 4 4 C", "R 4 2 C"}) {
    INFO(layout);
    KernelRecord gemm = written_gemm("gemm", "R", "R", layout);
    gemm.multiples = {4, 4, 1};
    std::vector<KernelRecord> kernels = {with_source(gemm)};
    kernels.push_back(written_pack("in", "R", layout));
    kernels.push_back(written_pack("out", layout, "R"));
    LibraryHandle library = make_library(d, kernels);
    CHECK(library->kernels_for(kCall) == Names{"gemm", "out"});
    CHECK(library->kernels_for(kUpdate) == Names{"in", "gemm", "out"});
    check_products(d, library);
  }
}

TEST_CASE("all three matrices are packed, and C is unpacked") {
  const TestDevice d;
  KernelRecord gemm = written_gemm("gemm", "R 4 4 R", "C 4 4 C", "C 4 4 C");
  gemm.multiples = {4, 8, 4};
  std::vector<KernelRecord> kernels = {with_source(gemm)};
  add_kernels(kernels, make_packs("a", "R 4 4 R"));
  add_kernels(kernels, make_packs("b", "C 4 4 C"));
  LibraryHandle library = make_library(d, kernels);
  CHECK(library->kernels_for(kUpdate) ==
        Names{"a_from_R", "b_from_R", "b_from_R", "gemm", "b_to_R"});
  const std::string explained = library->explain(kUpdate);
  std::size_t at = 0;
  for (const char* part :
       {"  runs ", "pack_a ", " + pack_b ", " + pack_c ", " + product ", " + unpack_c "}) {
    INFO(explained);
    at = explained.find(part, at);
    REQUIRE(at != std::string::npos);
  }
  check_products(d, library);
}

TEST_CASE("padded kernels get zeros outside the matrix") {
  const TestDevice d;
  KernelRecord gemm = written_gemm("gemm", "R", "C", "R");
  gemm.edges = Edges::kPadded;
  gemm.multiples = {8, 8, 16};
  LibraryHandle library = make_library(
      d, {with_source(gemm), written_pack("rr", "R", "R"), written_pack("cc", "C", "C"),
          written_pack("rc", "R", "C"), written_pack("cr", "C", "R")});
  CHECK(library->kernels_for(kCall) == Names{"rr", "rc", "gemm"});
  CHECK(library->kernels_for({.m = 16, .n = 9, .k = 32}) == Names{"rc", "gemm"});
  check_products(d, library);
}

TEST_CASE("an aligned kernel that writes any C supports odd extents with packing") {
  const TestDevice d;
  KernelRecord aligned = written_gemm("aligned", "R", "R", "R");
  aligned.alignment = 4;
  aligned.any_c = true;
  LibraryHandle library = make_library(d, {with_source(aligned), written_pack("copy", "R", "R")});
  CHECK(library->kernels_for({.m = 3, .n = 8, .k = 4}) == Names{"aligned"});
  CHECK(library->kernels_for({.m = 3, .n = 7, .k = 4}) == Names{"copy", "aligned"});
  CHECK(library->kernels_for({.m = 3, .n = 7, .k = 5}) == Names{"copy", "copy", "aligned"});
  for (const std::size_t gap : {0, 1, 4}) {
    for (const std::size_t offset : {0, 1, 4}) {
      INFO("gap " << gap << ", offset " << offset);
      const BlasCase test({.m = 3, .n = 7, .k = 5, .beta = 1.0f}, offset, gap, 1);
      CHECK(run_case(d, library, test) == "");
    }
  }
}

TEST_CASE("calls with matrices that are not aligned use another kernel") {
  const TestDevice d;
  KernelRecord aligned = written_gemm("aligned", "R", "R", "R");
  aligned.alignment = 4;  // stores NaN if it is launched for unaligned matrices
  LibraryHandle library = make_library(d, {with_source(aligned)});
  CHECK(library->kernels_for({.m = 3, .n = 8, .k = 4}) == Names{"aligned"});
  CHECK(library->kernels_for({.m = 3, .n = 8, .k = 5}) != Names{"aligned"});
  CHECK(library->kernels_for({.m = 3, .n = 6, .k = 4}) != Names{"aligned"});
  for (const std::size_t gap : {0, 1, 4}) {
    for (const std::size_t offset : {0, 1, 2, 4, 6, 8}) {
      INFO("gap " << gap << ", offset " << offset);
      CHECK(run_case(d, library,
                     BlasCase({.m = 3, .n = 8, .k = 4, .beta = 1.0f}, offset, gap, 1)) == "");
    }
  }
  // One matrix at a time: the route of one call must not be used for another.
  const BlasCase dense({.m = 3, .n = 8, .k = 4}, 0, 0, 2);
  const BlasCase apart(dense.call, 2, 0, 2);
  for (const int moved : {-1, 0, 1, 2}) {
    INFO("matrix " << moved);
    BlasCase test = dense;
    if (moved == 0) test.a = apart.a;
    if (moved == 1) test.b = apart.b;
    if (moved == 2) test.c = apart.c;
    CHECK(run_case(d, library, test) == "");
  }
  check_products(d, library);
  // With a kernel that copies, the aligned kernel supports any offsets.
  LibraryHandle copies = make_library(d, {with_source(aligned), written_pack("copy", "R", "R")});
  CHECK(run_case(d, copies, BlasCase({.m = 3, .n = 8, .k = 5, .beta = 1.0f}, 1, 1, 1)) == "");
  CHECK(copies->kernels_for({.m = 3, .n = 8, .k = 5}) == Names{"copy", "aligned"});
}

TEST_CASE("a narrow kernel computes narrow products") {
  const TestDevice d;
  KernelRecord gemv = written_gemm("gemv", "R", "R", "R");
  gemv.role = Role::kGemv;
  gemv.narrow = Dimension::kN;
  gemv.tile.n = 4;
  gemv.work_group = {1, 8};
  LibraryHandle library = make_library(d, {with_source(gemv)});
  CHECK(library->kernels_for({.m = 100, .n = 4, .k = 7}) == Names{"gemv"});
  CHECK(library->kernels_for({.m = 100, .n = 5, .k = 7}) != Names{"gemv"});
  check_products(d, library);
  CHECK(run_case(d, library, BlasCase({.m = 50, .n = 3, .k = 7, .beta = 1.0f}, 1, 1, 1)) == "");
}

TEST_CASE("if a pack kernel does not compile, the next one is used") {
  const TestDevice d;
  KernelRecord gemm = written_gemm("gemm", "R 8 1 C", "R", "R");
  gemm.multiples = {8, 1, 1};
  KernelRecord broken = written_pack("broken", "R", "R 8 1 C");
  broken.source += "not C\n";
  LibraryHandle none = make_library(d, {with_source(gemm), broken});
  CHECK(none->kernels_for(kCall).size() == 1);  // a built-in kernel is used
  CHECK(run_case(d, none, BlasCase(kCall, 0, 0, 1)) == "");
  LibraryHandle next =
      make_library(d, {with_source(gemm), broken, written_pack("next", "R", "R 8 1 C")});
  CHECK(next->kernels_for(kCall) == Names{"next", "gemm"});
  CHECK(run_case(d, next, BlasCase(kCall, 0, 0, 1)) == "");
}

TEST_CASE("each command waits for the previous one, also on an out-of-order queue", "[threads]") {
  const TestDevice d;
  KernelRecord gemm = written_gemm("gemm", "R 4 4 R", "C 4 4 C", "C 4 4 C");
  gemm.multiples = {4, 4, 4};
  std::vector<KernelRecord> kernels = {with_source(gemm)};
  add_kernels(kernels, make_packs("a", "R 4 4 R"));
  add_kernels(kernels, make_packs("b", "C 4 4 C"));
  KernelRecord split = written_gemm("split", "R", "R", "R");
  split.split_k = 3;
  cl_int code = CL_SUCCESS;
  const cl::CommandQueue unordered(d.context, d.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                   &code);
  const cl::CommandQueue& queue = code == CL_SUCCESS ? unordered : d.queue;
  for (LibraryHandle library : {make_library(d, kernels),
                                make_library(d, {with_source(split), written_reduce("reduce")})}) {
    const BlasCase test({.m = 64, .n = 60, .k = 90, .beta = 2.0f}, 0, 0, 3);
    const Matrix a = upload(d, test.a);
    const Matrix b = upload(d, test.b);
    const Matrix c = upload(d, test.c);
    cl::UserEvent gate(d.context);
    const cl::Event done = library->gemm(queue, test.call, a, b, c, {gate});
    queue.flush();
    CHECK(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    CHECK(done.wait() == CL_SUCCESS);
    CHECK(test.wrong(download(d, c, {done})) == "");
  }
}

TEST_CASE("the explanation of a call depends on its offsets and leading dimensions, too") {
  const TestDevice d;
  KernelRecord aligned = written_gemm("aligned", "R", "R", "R");
  aligned.alignment = 4;
  LibraryHandle library = make_library(d, {with_source(aligned)});
  const GemmCall call{.m = 8, .n = 8, .k = 8};
  CHECK(library->kernels_for(call) == Names{"aligned"});
  CHECK(library->explain(call).find("runs       product ") != std::string::npos);
  const Matrix even{{}, 0, 8};
  CHECK(library->kernels_for(call, even, even, {{}, 4, 12}) == Names{"aligned"});
  for (const Matrix& odd : {Matrix{{}, 1, 8}, Matrix{{}, 0, 9}}) {
    CHECK(library->kernels_for(call, even, even, odd) != Names{"aligned"});
    INFO(library->explain(call, odd, even, even));
    CHECK(is_built_in(d, library->kernels_for(call, odd, even, even).front()));
    CHECK(Plan(library, call, even, odd, even).kernel() != "aligned");
  }
  CHECK_THAT(library->explain({.m = 0, .n = 8, .k = 8}, even, even, even),
             Catch::Matchers::ContainsSubstring("C is empty"));
}

}  // namespace
}  // namespace tilewright
