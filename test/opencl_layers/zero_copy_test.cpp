// Tests that, if host and device share their memory, no command copies our data: buffers are
// allocated in host-accessible memory and mapped.
#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "first_plans.hpp"
#include "network/network_case.hpp"
#include "network/network_profiles.hpp"
#include "run_program.hpp"
#include "runtime/check/kernel_check.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "tuner/measure/measurement.hpp"
#include "tuner/measure/operand_pool.hpp"
#include "written_calls.hpp"

namespace tilewright {
namespace {

using Lines = std::vector<std::string>;

bool host_can_reach(const cl::Memory& memory) {
  return (memory.getInfo<CL_MEM_FLAGS>() & CL_MEM_ALLOC_HOST_PTR) != 0;
}

TEST_CASE("zero copy: our buffers keep their contents on both kinds of device") {
  const TestDevice d;
  const std::vector<float> floats = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f};
  const cl::Buffer made = allocate_buffer(d.context, CL_MEM_READ_WRITE, floats, "test");
  CHECK(host_can_reach(made) == shares_host_memory(d.device));
  std::vector<float> got(5);
  CHECK(read_floats(d.queue, made, got) == CL_SUCCESS);
  CHECK(got == floats);
  const std::vector<float> two = {7.0f, 8.0f};
  CHECK(write_floats(d.queue, made, 2, two) == CL_SUCCESS);
  CHECK(read_floats(d.queue, made, std::span(got).first(4)) == CL_SUCCESS);
  CHECK(got == std::vector<float>{1.0f, 2.0f, 7.0f, 8.0f, 5.0f});
  CHECK(read_floats(d.queue, made, {}) == CL_SUCCESS);
  CHECK(write_floats(d.queue, made, 4, two) != CL_SUCCESS);  // past its end
  CHECK_THROWS_AS(allocate_buffer(d.context, CL_MEM_READ_WRITE, std::size_t{0}, "nothing"), Error);
}

TEST_CASE("zero copy: reading waits for its wait list") {
  const TestDevice d;
  const cl::Buffer made =
      allocate_buffer(d.context, CL_MEM_READ_WRITE, std::vector<float>{1.0f}, "test");
  const cl::Buffer late =
      allocate_buffer(d.context, CL_MEM_READ_WRITE, std::vector<float>{2.0f}, "test");
  // On another queue, after copies that take some hundredths of a second.
  constexpr std::size_t kLarge = std::size_t{64} << 20;
  const cl::Buffer from = allocate_buffer(d.context, CL_MEM_READ_WRITE, kLarge, "test");
  const cl::Buffer to = allocate_buffer(d.context, CL_MEM_READ_WRITE, kLarge, "test");
  const cl::CommandQueue other(d.context, d.device);
  for (int i = 0; i < 8; ++i) {
    REQUIRE(other.enqueueCopyBuffer(from, to, 0, 0, kLarge) == CL_SUCCESS);
  }
  cl::Event done;
  REQUIRE(other.enqueueCopyBuffer(late, made, 0, 0, sizeof(float), nullptr, &done) == CL_SUCCESS);
  REQUIRE(other.flush() == CL_SUCCESS);
  std::vector<float> got(1);
  CHECK(read_floats(d.queue, made, got, {done}) == CL_SUCCESS);
  CHECK(got[0] == 2.0f);
}

TEST_CASE("zero copy: operands, verification, checks and workloads copy nothing") {
  const TestDevice d;
  if (!shares_host_memory(d.device)) SKIP_CASE("the device has a memory of its own");
  const KernelRecord record = emit(parse_point("tile_m=4 tile_n=4 vector_width=4"));
  const auto kernel = load_kernel(d, record);
  forget_calls();
  OperandPool pool(d.executor, d.queue, 1);
  const PooledGemm pooled = pool.product(record, {700, 300, 900});
  REQUIRE(std::holds_alternative<Pooled<GemmProblem>>(pooled));
  for (const cl::Memory& memory : std::get<Pooled<GemmProblem>>(pooled).memory) {
    CHECK(host_can_reach(memory));
  }
  CHECK(std::holds_alternative<double>(KernelVerifier().verify(d.executor, d.queue, *kernel)));
  const KernelRecord pack = emit(parse_point("pack tile_m=4 tile_n=4 vector_width=4"));
  CHECK_FALSE(check_kernel(d.executor, d.queue, *load_kernel(d, pack)));
  const Workload workload(d.context, Precision::kSingle, Op::kNT, {33, 35, 37}, 1);
  CHECK(host_can_reach(workload.a().buffer));
  CHECK(download(d.queue, workload.a().buffer).size() == 33 * 37);
  CHECK(written_calls("copy") == Lines{});
}

TEST_CASE("zero copy: weights, packing and temporaries of a network copy nothing") {
  const TestDevice d;
  if (!shares_host_memory(d.device)) SKIP_CASE("the device has a memory of its own");
  const NetworkModel model{
      {affine(78, 100, true, 1), make_layer(Activation::kRelu), affine(100, 10, true, 3)}};
  const LibraryHandle library = Library::open(
      d.context, d.device, ProfileSource::text(make_profile_from_points(d, fused_panel_points())));
  const NetworkCase test(Network(library, model), 9, 0, 0, 1);
  const Matrix input = upload(d, test.input);
  const Matrix output = upload(d, test.output);
  forget_calls();
  const Network net(library, model);
  const cl::Event done = net.forward(d.queue, input, output, 9);
  done.wait();
  CHECK(written_calls("copy") == Lines{});
  CHECK(test.wrong(model, download(d, output, {done})) == "");
  CHECK(written_calls("copy").size() == 1);  // the test's own copy, which shows that copies are
                                             // recorded
}

TEST_CASE("zero copy: tuning and benchmarks copy nothing") {
  const TestDevice d;
  if (!shares_host_memory(d.device)) SKIP_CASE("the device has a memory of its own");
  forget_calls();
  const std::string profile = scratch_folder() + "/zero.toml";
  const ProgramResult tune = run_program(
      "tune --device 0 --shapes 32x32x32,50x20x70 --ops nn --budget 10h --candidates 8 "
      "--rounds 3 --seed 7 --output " +
      profile);
  INFO(tune.error);
  CHECK(tune.exit_code == 0);
  check_first_plans(profile);
  CHECK(run_program("bench --device 0 --seconds 100ms --profile " + profile +
                    " --shapes 32x32x32 --ops nn,tt")
            .exit_code == 0);
  CHECK(run_program("verify --device 0 " + profile).exit_code == 0);
  CHECK(written_calls("copy") == Lines{});
}

}  // namespace
}  // namespace tilewright
