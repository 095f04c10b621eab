// Tests that drivers of OpenCL 1.1 work: products, packed matrices, networks, tuning and benchmarks
// call nothing newer. (docs/testing.md explains how to run test_runtime_device with this layer.)
#include "runtime/api/plan.hpp"

#include "api/counted_calls.hpp"
#include "catch.hpp"
#include "complex_case.hpp"
#include "first_plans.hpp"
#include "network/network_case.hpp"
#include "network/network_profiles.hpp"
#include "panel_library.hpp"
#include "run_program.hpp"
#include "runtime/device/device_identity.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"
#include "written_calls.hpp"

namespace tilewright {
namespace {

using Lines = std::vector<std::string>;

TEST_CASE("old driver: newer calls fail and are recorded") {
  const TestDevice d;
  CHECK(d.device.getInfo<CL_DEVICE_VERSION>() == "OpenCL 1.1 old driver");
  CHECK(identify(d.device).opencl_c_version == "OpenCL C 1.1");
  forget_calls();
  CHECK(d.queue.enqueueMarkerWithWaitList() == CL_INVALID_OPERATION);
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 64);
  CHECK(d.queue.enqueueFillBuffer(buffer, 1.0f, 0, 64) == CL_INVALID_OPERATION);
  cl_int code = CL_SUCCESS;
  d.device.getInfo<CL_DEVICE_BUILT_IN_KERNELS>(&code);
  CHECK(code == CL_INVALID_VALUE);
  const cl::Buffer host_only(d.context, CL_MEM_HOST_WRITE_ONLY, 64, nullptr, &code);
  CHECK(code == CL_INVALID_VALUE);
  const cl::Program program(d.context, "kernel void nothing() {}");
  CHECK(program.build("-cl-std=CL1.2") == CL_INVALID_BUILD_OPTIONS);
  CHECK(program.build("") == CL_SUCCESS);
  CHECK(written_calls() == Lines{"newer clEnqueueMarkerWithWaitList", "newer clEnqueueFillBuffer",
                                 "newer clGetDeviceInfo", "newer clCreateBuffer",
                                 "newer clBuildProgram -cl-std=CL1.2"});
  std::vector<float> host(16);
  forget_calls();
  d.queue.enqueueReadBuffer(buffer, CL_TRUE, 0, 64, host.data());
  d.queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, 64, host.data());
  CHECK(written_calls() == Lines{"copy clEnqueueReadBuffer", "copy clEnqueueWriteBuffer"});
}

void check_old_products(const TestDevice& d, LibraryHandle& library) {
  unsigned seed = 0;
  for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
    for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
      for (const std::size_t m : {1, 13, 64}) {
        GemmCall call{.m = m, .n = 33, .k = 17, .alpha = 1.5f, .beta = m == 13 ? -0.5f : 0.0f};
        call.trans_a = ta;
        call.trans_b = tb;
        const BlasCase test(call, seed % 5, seed % 3, seed + 1);
        ++seed;
        const Matrix c = upload(d, test.c);
        const cl::Event done =
            library->gemm(d.queue, call, upload(d, test.a), upload(d, test.b), c);
        CHECK(test.wrong(download(d, c, {done})) == "");
        // Nothing to compute, but an event to wait for.
        call.m = 0;
        library->gemm(d.queue, call, c, c, c, {done}).wait();
        library->gemm(d.queue, call, c, c, c).wait();
      }
    }
  }
}

void check_ways(const TestDevice& d, const std::vector<std::vector<std::string>>& ways) {
  for (const auto& points : ways) {
    INFO(points.front());
    LibraryHandle library = Library::open(d.context, d.device,
                                          ProfileSource::text(make_profile_from_points(d, points)));
    check_old_products(d, library);
  }
  CHECK(written_calls("newer") == Lines{});
}

TEST_CASE("old driver: products work with all kinds of packing") {
  const TestDevice d;
  LibraryHandle plain = builtin(d);
  check_old_products(d, plain);
  check_ways(d, {fused_panel_points(), split_points(), morton_points()});
}

TEST_CASE("old driver: products work with images") {
  const TestDevice d;
  if (!identify(d.device).limits.image_support) SKIP_CASE("the device does not support images");
  check_ways(d, {{"op=TN tile_m=8 tile_n=4 tile_k=2 vector_width=4 work_group_m=4 work_group_n=4 "
                  "image_a=yes image_b=yes edges=padded",
                  "pack from=R to=C image=yes tile_m=4 tile_n=4 vector_width=4",
                  "pack from=C to=C image=yes tile_m=4 tile_n=1 vector_width=4",
                  "pack from=R to=R image=yes tile_n=4 vector_width=4",
                  "pack from=C to=R image=yes tile_m=4 tile_n=8 vector_width=4"}});
}

template <class Element>
void check_complex(const TestDevice& d, LibraryHandle& library) {
  for (const Transpose trans : {Transpose::kNo, Transpose::kConjugate}) {
    for (const std::size_t n : {9, 40}) {
      GemmCall call{.m = 13, .n = n, .k = 21, .alpha = {0.5, 1.0}, .beta = {0.0, -1.0}};
      call.trans_a = trans;
      call.type = TraitsOf<Element>::kType;
      const BlasCaseOf<Element> test(call, 1, 2, 3);
      const Matrix c = upload(d, test.c);
      const cl::Event done = library->gemm(d.queue, call, upload(d, test.a), upload(d, test.b), c);
      CHECK(test.wrong(download<Element>(d, c, {done})) == "");
    }
  }
}

// The layer rejects launches that exceed the limits or that leave the local size to the driver.
TEST_CASE("small work-groups: products, complex ones and networks run with the built-in kernels") {
  for (const char* limits : {"1 1 1 1 1", "3 3 3 3 3", "1024 1024 1 1 1024", "128 128 2 2 128",
                             "1024 1024 1024 1024 63"}) {
    INFO(limits);
    const ScopedVariable groups("TILEWRIGHT_GROUPS", limits);
    const TestDevice d;
    LibraryHandle library = builtin(d);
    check_old_products(d, library);
    check_complex<std::complex<float>>(d, library);
    const NetworkModel model{{affine(64, 32, true, 1), make_layer(Activation::kRelu),
                              affine(32, 10, true, 3), make_layer(Activation::kSoftmax)}};
    const Network net(library, model);
    CHECK(wrong_forward(d, net, model, NetworkCase(net, 9, 0, 0, 1)) == "");
  }
}

TEST_CASE("old driver: packed matrices work") {
  const TestDevice d;
  LibraryHandle library = make_library(d, panels());
  const BlasCase test({.m = 13, .n = 9, .k = 21}, 2, 1, 7);
  const Plan plan = Plan(library, test.call);
  const PackedMatrix a = plan.pack(Operand::kA, d.queue, upload(d, test.a));
  const PackedMatrix b = plan.pack(Operand::kB, d.queue, upload(d, test.b));
  const Matrix c = upload(d, test.c);
  CHECK(test.wrong(download(d, c, {plan.execute(d.queue, a, b, c)})) == "");
  CHECK(written_calls("newer") == Lines{});
}

TEST_CASE("old driver: networks work") {
  const TestDevice d;
  const NetworkModel model{{affine(78, 100, true, 1), make_layer(Activation::kSigmoid),
                            affine(100, 10, true, 3), make_layer(Activation::kSoftmax)}};
  for (const auto& points :
       {fused_points(), fused_panel_points(), split_points(), morton_points()}) {
    INFO(points.front());
    const LibraryHandle library = Library::open(
        d.context, d.device, ProfileSource::text(make_profile_from_points(d, points)));
    const Network net(library, model);
    for (const std::size_t batch : {1, 9}) {
      CHECK(wrong_forward(d, net, model, NetworkCase(net, batch, 0, 0, 1)) == "");
    }
  }
  CHECK(written_calls("newer") == Lines{});
}

TEST_CASE("old driver: program binaries are stored and loaded") {
  const TestDevice d;
  const TemporaryFolder folder;
  const ScopedVariable cache("TILEWRIGHT_CACHE", folder.path().c_str());
  for (int i = 0; i < 2; ++i) {
    LibraryHandle library = builtin(d);
    const BlasCase test({.m = 13, .n = 9, .k = 21}, 0, 0, 7);
    const Matrix c = upload(d, test.c);
    const cl::Event done =
        library->gemm(d.queue, test.call, upload(d, test.a), upload(d, test.b), c);
    CHECK(test.wrong(download(d, c, {done})) == "");
  }
  CHECK(written_calls("newer") == Lines{});
}

TEST_CASE("old driver: a device is tuned and benchmarked", "[full]") {
  const std::string profile = scratch_folder() + "/old.toml";
  const ProgramResult tune = run_program(
      "tune --device 0 --shapes 32x32x32,50x20x70 --ops nn --budget 10h --candidates 16 "
      "--rounds 3 --seed 7 --output " +
      profile);
  INFO(tune.error);
  CHECK(tune.exit_code == 0);
  check_first_plans(profile);
  const ProgramResult bench = run_program("bench --device 0 --seconds 100ms --profile " + profile +
                                          " --shapes 32x32x32 --ops nn,tt");
  INFO(bench.error);
  CHECK(bench.exit_code == 0);
  CHECK(run_program("devices --measure").exit_code == 0);
  CHECK(written_calls("newer") == Lines{});
}

TEST_CASE("old driver: complex products that lack memory fail with the right status") {
  const TestDevice d;
  const GemmCall call{.m = 13, .n = 9, .k = 21, .type = ElementType::kComplexFloat};
  const cl::Buffer a(d.context, CL_MEM_READ_WRITE, 4096), b(d.context, CL_MEM_READ_WRITE, 4096),
      c(d.context, CL_MEM_READ_WRITE, 4096);
  forget_calls();
  for (const auto refuses : {LimitedMemory::Refuses::kCreation, LimitedMemory::Refuses::kLaunch}) {
    LibraryHandle library = builtin(d);
    const LimitedMemory limit(0, refuses);
    CHECK(error_status([&] {
            library->gemm(d.queue, call, {a, 0, 21}, {b, 0, 9}, {c, 0, 9});
          }) == TW_OUT_OF_MEMORY);
    CHECK(limit.refused() > 0);
  }
  CHECK(written_calls("newer") == Lines{});
}

}  // namespace
}  // namespace tilewright
