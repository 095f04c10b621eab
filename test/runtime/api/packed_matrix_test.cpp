// Tests where packed matrices may be stored, which plans accept them, and concurrent use.
#include <memory>
#include <thread>

#include "catch.hpp"
#include "panel_library.hpp"

namespace tilewright {
namespace {

TEST_CASE("packing into the caller's buffer, after an offset, into a sub-buffer") {
  const TestDevice d;
  LibraryHandle library = make_library(d, panels());
  const BlasCase test({.m = 13, .n = 9, .k = 21}, 2, 1, 7);
  const Plan plan = Plan(library, test.call);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const std::size_t floats = plan.needs(Operand::kB).bytes / sizeof(float);
  constexpr float kGuard = 77.0f;
  std::vector<float> host(2048, kGuard);
  const cl::Buffer whole(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                         host.size() * sizeof(float), host.data());
  const cl_buffer_region region{1024 * sizeof(float), (floats + 64) * sizeof(float)};
  cl::Buffer parent = whole;
  const cl::Buffer part =
      parent.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
  const PackedMatrix into_part = plan.pack(Operand::kB, d.queue, b, {}, Workspace{part, 256});
  const PackedMatrix into_whole = plan.pack(Operand::kB, d.queue, b, {}, Workspace{whole, 128});
  for (const PackedMatrix& packed : {into_part, into_whole}) {
    CHECK(packed.bytes == plan.needs(Operand::kB).bytes);
    const Matrix c = upload(d, test.c);
    CHECK(test.wrong(download(d, c, {plan.execute(d.queue, a, packed, c)})) == "");
  }
  const std::vector<float> after = download(d, {whole, 0, 1}, {into_part.ready});
  std::size_t changed = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const bool inside = (i >= 32 && i < 32 + floats) || (i >= 1024 + 64 && i < 1024 + 64 + floats);
    if (!inside && after[i] != kGuard) ++changed;
  }
  CHECK(changed == 0);

  // Operands and C in sub-buffers.
  const auto sub = [&](const StoredMatrix& matrix) {
    const std::size_t bytes = matrix.data.size() * sizeof(float);
    cl::Buffer outer(d.context, CL_MEM_READ_WRITE, 4096 + bytes);
    const cl_buffer_region at{4096, bytes};
    cl::Buffer inner = outer.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &at);
    d.queue.enqueueWriteBuffer(inner, CL_TRUE, 0, bytes, matrix.data.data());
    return Matrix{inner, matrix.offset, matrix.ld};
  };
  const Matrix c = sub(test.c);
  const PackedMatrix packed = plan.pack(Operand::kA, d.queue, sub(test.a));
  CHECK(test.wrong(download(d, c, {plan.execute(d.queue, packed, sub(test.b), c)})) == "");
}

TEST_CASE("a packed matrix is accepted only by plans that require this form") {
  const TestDevice d;
  LibraryHandle library = make_library(d, panels());
  const BlasCase test({.m = 21, .n = 21, .k = 21}, 0, 0, 7);
  const Plan plan = Plan(library, test.call);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const PackedMatrix packed_a = plan.pack(Operand::kA, d.queue, a);
  const PackedMatrix packed_b = plan.pack(Operand::kB, d.queue, b);
  CHECK((to_text(packed_a.storage.layout) == "R 8 1 C" &&
         to_text(packed_b.storage.layout) == "C 1 4 R"));
  const auto execute = [&](const Plan& with, const GemmOperand& left, const GemmOperand& right) {
    return error_status([&] { with.execute(d.queue, left, right, c); });
  };
  CHECK(execute(plan, packed_a, packed_b) == TW_SUCCESS);
  // Another operand, even with equal extents.
  CHECK(execute(plan, packed_b, b) == TW_WRONG_LAYOUT);
  CHECK(execute(plan, a, packed_a) == TW_WRONG_LAYOUT);
  // Other extents, even with equal padded extents.
  GemmCall call = test.call;
  call.m = 24;
  CHECK(execute(Plan(library, call), packed_a, b) == TW_WRONG_LAYOUT);
  call = test.call;
  call.k = 20;
  CHECK(execute(Plan(library, call), packed_a, b) == TW_WRONG_LAYOUT);
  // Another layout, from another library.
  const Plan of_8 = Plan(make_library(d, panels_of_b(8)), test.call);
  CHECK(execute(of_8, a, packed_b) == TW_WRONG_LAYOUT);
  CHECK(execute(Plan(builtin(d), test.call), packed_a, b) == TW_WRONG_LAYOUT);
  // The other factor of the row-major product.
  call = test.call;
  call.order = Order::kColumnMajor;
  CHECK(execute(Plan(library, call), packed_a, b) == TW_WRONG_LAYOUT);
  // Another plan with the same requirements, although the caller's matrix was stored differently.
  call = test.call;
  call.trans_b = Transpose::kYes;
  const Plan transposed = Plan(make_library(d, panels()), call);
  const Matrix fresh = upload(d, test.c);
  CHECK(test.wrong(download(d, fresh, {transposed.execute(d.queue, a, packed_b, fresh)})) == "");
  // Another context.
  const TestDevice other;
  LibraryHandle elsewhere = make_library(other, panels());
  const PackedMatrix foreign =
      Plan(elsewhere, test.call).pack(Operand::kB, other.queue, upload(other, test.b));
  CHECK(execute(plan, a, foreign) == TW_INVALID_BUFFER_B);
}

TEST_CASE("the transpose is a different matrix even if all layouts and extents are equal") {
  const TestDevice d;
  KernelRecord product = written_gemm("squares", "R 4 4 R", "R 4 4 R", "R");
  product.multiples = {4, 4, 4};
  std::vector<KernelRecord> kernels{product, written_pack("from_R", "R", "R 4 4 R")};
  for (KernelRecord& kernel : kernels) kernel = with_source(kernel);
  LibraryHandle library = make_library(d, kernels);
  const BlasCase test({.m = 8, .n = 8, .k = 8}, 0, 0, 7);
  const Plan by_rows = Plan(library, test.call);
  GemmCall call = test.call;
  call.order = Order::kColumnMajor;
  const Plan by_columns = Plan(library, call);
  REQUIRE((by_rows.kernel() == "squares" && by_columns.kernel() == "squares"));
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const PackedMatrix packed = by_rows.pack(Operand::kA, d.queue, a);
  CHECK(error_status([&] { by_rows.execute(d.queue, packed, b, c); }) == TW_SUCCESS);
  CHECK(error_status([&] { by_rows.execute(d.queue, a, packed, c); }) == TW_WRONG_LAYOUT);
  CHECK(error_status([&] { by_columns.execute(d.queue, packed, b, c); }) == TW_WRONG_LAYOUT);
}

TEST_CASE("matrices that are less aligned than planned are rejected, others are accepted") {
  const TestDevice d;
  KernelRecord aligned = written_gemm("aligned", "R", "R", "R");
  aligned.alignment = 4;
  LibraryHandle library = make_library(d, {with_source(aligned)});
  const BlasCase test({.m = 8, .n = 8, .k = 8}, 1, 1, 3);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const Plan dense = Plan(library, test.call);
  REQUIRE(dense.kernel() == "aligned");
  CHECK(error_status([&] { dense.execute(d.queue, a, b, c); }) == TW_WRONG_LAYOUT);
  CHECK(error_status([&] { dense.pack(Operand::kA, d.queue, a); }) == TW_WRONG_LAYOUT);
  const Plan planned = Plan(library, test.call, a, b, c);
  CHECK(planned.kernel() != "aligned");
  CHECK(test.wrong(download(d, c, {planned.execute(d.queue, a, b, c)})) == "");
}

TEST_CASE("packing on one queue and multiplying on others, after the library is closed",
          "[threads]") {
  const TestDevice d;
  const BlasCase test({.m = 33, .n = 17, .k = 21}, 0, 0, 5);
  LibraryHandle library = make_library(d, panels());
  const Plan plan = Plan(library, test.call);
  library.reset();
  const Matrix a = upload(d, test.a);
  cl::UserEvent gate(d.context);
  const cl::CommandQueue packing(d.context, d.device);
  auto weights = std::make_unique<PackedMatrix>(
      plan.pack(Operand::kB, packing, upload(d, test.b), std::vector<cl::Event>{gate}));
  std::vector<Matrix> results;
  std::vector<cl::Event> done;
  for (const cl_command_queue_properties properties :
       {cl_command_queue_properties{0},
        cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}}) {
    const cl::CommandQueue queue(d.context, d.device, properties);
    results.push_back(upload(d, test.c));
    done.push_back(plan.execute(queue, a, *weights, results.back()));
    queue.flush();
    CHECK(done.back().getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  }
  weights.reset();
  gate.setStatus(CL_COMPLETE);
  cl::Event::waitForEvents(done);
  for (const Matrix& c : results) CHECK(test.wrong(download(d, c, {})) == "");
}

TEST_CASE("threads share a plan and packed weights", "[threads]") {
  const TestDevice d;
  const BlasCase test({.m = 33, .n = 17, .k = 21}, 0, 0, 5);
  const Plan plan = Plan(make_library(d, panels()), test.call);
  const PackedMatrix weights = plan.pack(Operand::kB, d.queue, upload(d, test.b));
  const Matrix a = upload(d, test.a);
  std::vector<std::string> wrong(4, "did not run");
  std::vector<std::thread> threads;
  for (std::string& mine : wrong) {
    threads.emplace_back([&] {
      const cl::CommandQueue queue(d.context, d.device);
      mine.clear();
      for (int i = 0; i < 10 && mine.empty(); ++i) {
        const Matrix c = upload(d, test.c);
        plan.execute(queue, a, weights, c).wait();
        std::vector<float> got(test.c.data.size());
        queue.enqueueReadBuffer(c.buffer, CL_TRUE, 0, got.size() * sizeof(float), got.data());
        mine = test.wrong(got);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& mine : wrong) CHECK(mine == "");
}

}  // namespace
}  // namespace tilewright
