// Tests temporaries between a product and its C in the library's memory or in the caller's
// workspace.

#include "api/c_open.hpp"
#include "catch.hpp"
#include "network/network_profiles.hpp"
#include "panel_library.hpp"
#include "profiles/round_up.hpp"

namespace tilewright {
namespace {

constexpr float kWorkspaceGuard = 77.0f;

// A kernel with C in chunks of 4 x 4, and the pack kernels for it.
std::vector<KernelRecord> chunks_of_c() {
  KernelRecord product = written_gemm("chunks", "R", "R", "R 4 4 R");
  product.multiples = {4, 4, 1};
  return {with_source(product), written_pack("c_from_R", "R", "R 4 4 R"),
          written_pack("c_to_R", "R 4 4 R", "R")};
}

std::vector<KernelRecord> parts_of_k() {
  KernelRecord product = written_gemm("parts", "R", "R", "R");
  product.split_k = 3;
  return {with_source(product), written_reduce("sum")};
}

// A buffer full of guards, of which a part is the workspace.
struct Guarded {
  cl::Buffer whole;
  cl::Buffer part;
  std::size_t begin = 0;  // offset of the workspace in the whole buffer, in elements
  std::size_t end = 0;

  // The part has kMemoryMultiple bytes before the workspace, and as many after it.
  Guarded(const TestDevice& d, std::size_t bytes) {
    constexpr std::size_t kPartBegins = 1024;  // in elements; as aligned as any device requires
    constexpr std::size_t kAround = kMemoryMultiple / sizeof(float);
    begin = kPartBegins + kAround;
    end = begin + bytes / sizeof(float);
    std::vector<float> host(end + 4 * kAround, kWorkspaceGuard);
    whole = cl::Buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       host.size() * sizeof(float), host.data());
    const cl_buffer_region region{kPartBegins * sizeof(float), bytes + 2 * kMemoryMultiple};
    part = whole.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
  }

  // Checks that the workspace was written, and nothing else.
  void check(const TestDevice& d, const cl::Event& done) const {
    const std::vector<float> after = download(d, {whole, 0, 1}, {done});
    std::size_t inside = 0;
    std::size_t outside = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (after[i] != kWorkspaceGuard) ++(i >= begin && i < end ? inside : outside);
    }
    CHECK(inside > (end - begin) / 2);
    CHECK(outside == 0);
  }
};

TEST_CASE("the caller chooses the workspace, which may be in a sub-buffer") {
  const TestDevice d;
  for (const auto& kernels : {chunks_of_c(), parts_of_k()}) {
    LibraryHandle library = make_library(d, kernels);
    for (const float beta : {0.0f, 0.5f}) {
      const BlasCase test({.m = 13, .n = 9, .k = 21, .beta = beta}, 2, 1, 7);
      const Plan plan = Plan(library, test.call);
      REQUIRE(plan.kernel() == kernels[0].name);
      const std::size_t floats = kernels[0].split_k > 1 ? 3 * 13 * 9 : 16 * 12;
      REQUIRE(plan.workspace_bytes() == floats * sizeof(float));
      const Matrix a = upload(d, test.a);
      const Matrix b = upload(d, test.b);
      const Matrix c = upload(d, test.c);
      const Guarded guarded(d, plan.workspace_bytes());
      const cl::Event done =
          plan.execute(d.queue, a, b, c, 1.0f, beta, {}, Workspace{guarded.part, kMemoryMultiple});
      CHECK(test.wrong(download(d, c, {done})) == "");
      guarded.check(d, done);
    }
  }
}

TEST_CASE("the offset of a workspace counts bytes, also if sums are wider than elements") {
  const TestDevice d;
  const std::string profile = make_profile_from_points(
      d,
      {"tile_m=4 tile_n=8 tile_k=2 vector_width=4 work_group_m=2 split_k=4",
       "reduce work_group_n=16"},
      Precision::kHalf);
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::text(profile));
  const BlasCaseOf<Half> test({.m = 16, .n = 16, .k = 64, .type = ElementType::kHalf}, 0, 0, 7);
  const Plan plan = Plan(library, test.call);
  REQUIRE(plan.workspace_bytes() == 4 * 16 * 16 * sizeof(float));
  const Matrix c = upload(d, test.c);
  const Guarded guarded(d, plan.workspace_bytes());
  const cl::Event done = plan.execute(d.queue, upload(d, test.a), upload(d, test.b), c, 1.0, 0.0,
                                      {}, Workspace{guarded.part, kMemoryMultiple});
  CHECK(test.wrong(download<Half>(d, c, {done})) == "");
  guarded.check(d, done);
}

TEST_CASE("operands that are packed for a call are in the workspace") {
  const TestDevice d;
  LibraryHandle library = make_library(d, panels());
  const BlasCase test({.m = 13, .n = 9, .k = 21}, 0, 0, 7);
  const Plan plan = Plan(library, test.call);
  const std::size_t bytes_a = plan.needs(Operand::kA).bytes;
  const std::size_t bytes_b = plan.needs(Operand::kB).bytes;
  REQUIRE((bytes_a > 0 && bytes_b > 0));
  REQUIRE(plan.workspace_bytes() == round_up(bytes_a, kMemoryMultiple) + bytes_b);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const PackedMatrix packed = plan.pack(Operand::kA, d.queue, a);
  const bool is_packed = GENERATE(false, true);
  const Matrix c = upload(d, test.c);
  const Guarded guarded(d, is_packed ? bytes_b : plan.workspace_bytes());
  const Workspace workspace{guarded.part, kMemoryMultiple};
  const GemmOperand operand_a = is_packed ? GemmOperand(packed) : GemmOperand(a);
  const cl::Event done = plan.execute(d.queue, operand_a, b, c, 1.0f, 0.0f, {}, workspace);
  CHECK(test.wrong(download(d, c, {done})) == "");
  guarded.check(d, done);
}

TEST_CASE("a workspace for floats is aligned for floats, also in a product of half precision") {
  const TestDevice d;
  const std::string profile = make_profile_from_points(
      d,
      {"tile_m=4 tile_n=8 tile_k=2 vector_width=4 work_group_m=2 split_k=4",
       "reduce work_group_n=16"},
      Precision::kHalf);
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::text(profile));
  const BlasCaseOf<Half> test({.m = 16, .n = 16, .k = 64, .type = ElementType::kHalf}, 0, 0, 7);
  const Plan plan = Plan(library, test.call);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  alignas(128) static unsigned char memory[1 << 15];
  const auto status = [&](std::size_t past) {
    const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                            std::size_t{1} << 14, static_cast<void*>(memory + past));
    const auto result = error_status([&] {
      plan.execute(d.queue, a, b, c, 1.0, 0.0, {}, Workspace{buffer, 0});
    });
    d.queue.finish();
    return result;
  };
  CHECK(status(64) == TW_SUCCESS);
  CHECK(status(32) == TW_INVALID_WORKSPACE);
}

TEST_CASE("an invalid workspace is rejected, and one that is not needed is ignored") {
  const TestDevice d;
  const TestDevice other;
  LibraryHandle library = make_library(d, chunks_of_c());
  const BlasCase test({.m = 13, .n = 9, .k = 21}, 0, 0, 7);
  const Plan plan = Plan(library, test.call);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const auto status = [&](const Plan& with, const Workspace& workspace) {
    return error_status([&] { with.execute(d.queue, a, b, c, 1.0f, 0.0f, {}, workspace); });
  };
  const cl::Buffer exact(d.context, CL_MEM_READ_WRITE, plan.workspace_bytes());
  const cl::Buffer less(d.context, CL_MEM_READ_WRITE, plan.workspace_bytes() - sizeof(float));
  const cl::Buffer foreign(other.context, CL_MEM_READ_WRITE, plan.workspace_bytes());
  CHECK(status(plan, {exact, 0}) == TW_SUCCESS);
  CHECK(status(plan, {exact, kMemoryMultiple}) == TW_INSUFFICIENT_WORKSPACE);
  CHECK(status(plan, {exact, kMemoryMultiple / 2}) == TW_INVALID_WORKSPACE);
  CHECK(status(plan, {less, 0}) == TW_INSUFFICIENT_WORKSPACE);
  CHECK(status(plan, {foreign, 0}) == TW_INVALID_WORKSPACE);
  for (const cl_mem_flags flags : {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY}) {
    const cl::Buffer limited(d.context, flags, plan.workspace_bytes());
    CHECK(status(plan, {limited, 0}) == TW_INVALID_WORKSPACE);
  }
  CHECK(status(plan, {}) == TW_SUCCESS);
  LibraryHandle direct = builtin(d);
  const Plan none = Plan(direct, test.call);
  REQUIRE(none.workspace_bytes() == 0);
  CHECK(status(none, {foreign, 3}) == TW_SUCCESS);
  CHECK(Plan(direct, {.m = 0, .n = 9, .k = 21}).workspace_bytes() == 0);
}

TEST_CASE("C: a workspace of the caller") {
  const TestDevice d;
  const BlasCase test({.m = 13, .n = 9, .k = 21}, 0, 0, 7);
  const std::string profile = make_profile_text(d, parts_of_k());
  const OpenLibrary open(d, options_with_text(profile));
  const tw_gemm_desc desc = to_c(test.call);
  tw_plan* plan = nullptr;
  REQUIRE(tw_plan_create(open.library, &desc, nullptr, nullptr, nullptr, &plan) == TW_SUCCESS);
  const Matrix c_matrix = upload(d, test.c);
  const CMatrix a = to_c(upload(d, test.a));
  const CMatrix b = to_c(upload(d, test.b));
  const CMatrix c = to_c(c_matrix);
  const Guarded guarded(d, tw_plan_workspace_bytes(plan));
  const auto execute = [&](std::size_t offset, cl_event* done) {
    const tw_memory workspace = {guarded.part(), offset};
    return tw_execute(plan, d.queue(), {1.0, 0.0}, &a, &b, {0.0, 0.0}, &c, &workspace, 0, nullptr,
                      done);
  };
  CHECK(execute(3 * kMemoryMultiple, nullptr) == TW_INSUFFICIENT_WORKSPACE);
  CHECK(execute(3, nullptr) == TW_INVALID_WORKSPACE);
  cl_event done = nullptr;
  REQUIRE(execute(kMemoryMultiple, &done) == TW_SUCCESS);
  const cl::Event event(done);
  CHECK(test.wrong(download(d, c_matrix, {event})) == "");
  guarded.check(d, event);
  tw_plan_free(plan);
}

}  // namespace
}  // namespace tilewright
