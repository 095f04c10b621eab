// Tests the four steps (plan, pack, execute, free) on a device, with hand-written kernels for every
// case, emitted kernels and the built-in profile.
#include <array>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "codelets/space/named_points.hpp"
#include "panel_library.hpp"

namespace tilewright {
namespace {

std::vector<KernelRecord> emitted(const std::vector<std::string>& points) {
  std::vector<KernelRecord> kernels;
  for (const std::string& point : points) kernels.push_back(emit(parse_point(point)));
  return kernels;
}

// A case whose remaining operand has the data of `first`.
BlasCase with_other_data(const BlasCase& first, GemmCall call, unsigned seed, std::size_t offset,
                         std::size_t gap) {
  BlasCase next(call, offset, gap, seed);
  next.b = first.b;
  return next;
}

// Packs B once and multiplies it with several A and C, alpha and beta.
void check_packed_b(const TestDevice& d, LibraryHandle library, const GemmCall& call) {
  const BlasCase first(call, 3, 2, 1);
  const Matrix b = upload(d, first.b);
  const Plan plan = Plan(library, call);
  const PackedMatrix weights = plan.pack(Operand::kB, d.queue, b);
  CHECK(weights.operand == Operand::kB);
  unsigned seed = 2;
  for (const float alpha : {1.0f, -1.5f, 0.0f}) {
    for (const float beta : {0.0f, 0.5f}) {
      GemmCall scaled = call;
      scaled.alpha = alpha;
      scaled.beta = beta;
      const BlasCase test = with_other_data(first, scaled, seed, seed % 4, seed % 3);
      ++seed;
      const Matrix a = upload(d, test.a);
      const Matrix c = upload(d, test.c);
      INFO(plan.kernel() << " alpha " << alpha << " beta " << beta);
      const cl::Event done = plan.execute(d.queue, a, weights, c, alpha, beta);
      CHECK(test.wrong(download(d, c, {done})) == "");
      // With everything packed, and with nothing packed.
      const Matrix again = upload(d, test.c);
      const PackedMatrix packed_a = plan.pack(Operand::kA, d.queue, a);
      CHECK(test.wrong(download(
                d, again, {plan.execute(d.queue, packed_a, weights, again, alpha, beta)})) == "");
      const Matrix third = upload(d, test.c);
      CHECK(test.wrong(download(d, third, {plan.execute(d.queue, a, b, third, alpha, beta)})) ==
            "");
    }
  }
}

// All storage orders and transposes.
void check_all_ways(const TestDevice& d, const LibraryHandle& library) {
  for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
    for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
      for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
        GemmCall call{.m = 13, .n = 9, .k = 21};
        call.trans_a = ta;
        call.trans_b = tb;
        call.order = order;
        check_packed_b(d, library, call);
      }
    }
  }
}

TEST_CASE("weights packed once and multiplied many times: hand-written kernels") {
  const TestDevice d;
  check_all_ways(d, make_library(d, panels()));
}

TEST_CASE("weights packed once and multiplied many times: the built-in profile") {
  const TestDevice d;
  check_all_ways(d, builtin(d));
}

TEST_CASE("weights packed once and multiplied many times: emitted kernels") {
  const TestDevice d;
  const std::string morton(find_named_point("morton-4-4")->text);
  check_all_ways(d, make_library(d, emitted({morton, "pack from=R to=R4x4R tile_m=4 tile_n=4",
                                             "pack from=C to=R4x4R tile_m=4 tile_n=4",
                                             "pack from=R to=C4x4C tile_m=8 tile_n=4",
                                             "pack from=C to=C4x4C tile_m=4 tile_n=8",
                                             "pack from=C4x4C to=R tile_m=2 tile_n=2"})));
  check_all_ways(d, make_library(d, emitted({"layout_a=R layout_b=C1x8R tile_m=4 tile_n=8 tile_k=2 "
                                             "vector_width=4 work_group_m=2 split_k=8",
                                             "pack from=C to=R tile_m=4 tile_n=4",
                                             "pack from=R to=C1x8R tile_n=8 vector_width=8",
                                             "pack from=C to=C1x8R tile_m=4 tile_n=8", "reduce"})));
}

TEST_CASE("only the library can create packed images") {
  const TestDevice d;
  if (!identify(d.device).limits.image_support) SKIP_CASE("the device does not support images");
  const LibraryHandle library = make_library(
      d, emitted({"op=TN tile_m=8 tile_n=4 tile_k=2 vector_width=4 work_group_m=4 work_group_n=4 "
                  "image_a=yes image_b=yes edges=padded",
                  "pack from=R to=C image=yes tile_m=4 tile_n=4 vector_width=4",
                  "pack from=C to=C image=yes tile_m=4 tile_n=1 vector_width=4",
                  "pack from=R to=R image=yes tile_n=4 vector_width=4",
                  "pack from=C to=R image=yes tile_m=4 tile_n=8 vector_width=4"}));
  check_all_ways(d, library);
  const BlasCase test({.m = 13, .n = 9, .k = 21}, 0, 0, 1);
  const Plan plan = Plan(library, test.call);
  CHECK((plan.needs(Operand::kA).image && plan.needs(Operand::kB).image));
  const Workspace into{cl::Buffer(d.context, CL_MEM_READ_WRITE, 1 << 20), 0};
  CHECK(error_status([&] { plan.pack(Operand::kA, d.queue, upload(d, test.a), {}, into); }) ==
        TW_INVALID_PACKED_BUFFER);
}

TEST_CASE("a plan reports its requirements and does not allocate") {
  const TestDevice d;
  const Plan plan = Plan(make_library(d, panels()), {.m = 13, .n = 9, .k = 21});
  CHECK(plan.kernel() == "panels");
  CHECK(plan.reason().find("A is packed first") != std::string::npos);
  CHECK((plan.needs(Operand::kA).packed && !plan.needs(Operand::kA).image));
  CHECK(plan.needs(Operand::kA).bytes == 16 * 21 * sizeof(float));
  CHECK(plan.needs(Operand::kB).bytes == 21 * 12 * sizeof(float));
  CHECK(plan.workspace_bytes() == 1408 + 21 * 12 * sizeof(float));

  // In column-major order, A is the right factor of the computed product.
  GemmCall columns{.m = 13, .n = 9, .k = 21};
  columns.order = Order::kColumnMajor;
  const Plan swapped = Plan(make_library(d, panels()), columns);
  CHECK(swapped.needs(Operand::kA).bytes == 21 * 16 * sizeof(float));
  CHECK(swapped.needs(Operand::kB).bytes == 16 * 21 * sizeof(float));

  const Plan of_b = Plan(make_library(d, panels_of_b(4)), {.m = 13, .n = 9, .k = 21});
  CHECK_FALSE(of_b.needs(Operand::kA).packed);
  CHECK(of_b.needs(Operand::kA).bytes == 0);
  CHECK(of_b.needs(Operand::kB).packed);

  KernelRecord split = written_gemm("split", "R", "R", "R");
  split.split_k = 4;
  const Plan parts =
      Plan(make_library(d, {with_source(split), with_source(written_reduce("sum"))}), {5, 6, 70});
  CHECK(parts.kernel() == "split");
  CHECK(parts.workspace_bytes() == 4 * 5 * 6 * sizeof(float));

  const Plan nothing = Plan(builtin(d), {.m = 4, .n = 3, .k = 0});
  CHECK((nothing.kernel().empty() && !nothing.needs(Operand::kA).packed &&
         nothing.workspace_bytes() == 0));
}

TEST_CASE("a plan for products that multiply nothing") {
  const TestDevice d;
  LibraryHandle library = make_library(d, panels());
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{6, 5, 0}, {0, 5, 3}, {4, 0, 3}}) {
    const BlasCase test({.m = m, .n = n, .k = k, .beta = 2.0f}, 1, 1, 1);
    const Plan plan = Plan(library, test.call);
    const Matrix c = upload(d, test.c);
    const PackedMatrix b = plan.pack(Operand::kB, d.queue, {{}, 0, std::max<std::size_t>(n, 1)});
    const Matrix a{{}, 0, std::max<std::size_t>(k, 1)};
    CHECK(test.wrong(download(d, c, {plan.execute(d.queue, a, b, c, 1.0f, 2.0f)})) == "");
  }
}

}  // namespace
}  // namespace tilewright
