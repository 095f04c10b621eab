// Tests that failures of candidates are values: bad kernels are rejected with the kind and the
// reason.
#include "runtime/device/executor.hpp"

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/device_identity.hpp"
#include "runtime/device/processor.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

KernelError load_error(const TestDevice& d, const KernelRecord& record) {
  const Loaded loaded = d.executor.load(record);
  REQUIRE(std::holds_alternative<KernelError>(loaded));
  return std::get<KernelError>(loaded);
}

TEST_CASE("source that does not compile is rejected with the build log") {
  const TestDevice d;
  KernelRecord record = emit(gemm_point(Op::kNN));
  record.source = "__kernel void broken(__global float *x) { this_is_not_declared; }";
  const KernelError kernel_error = load_error(d, record);
  CHECK(kernel_error.kind == FailureKind::kBuild);
  CHECK(kernel_error.reason.find("this_is_not_declared") != std::string::npos);
  CHECK(kernel_error.opencl_code != CL_SUCCESS);
}

TEST_CASE("a missing entry point is rejected") {
  const TestDevice d;
  KernelRecord record = emit(gemm_point(Op::kNN));
  record.entry = "elsewhere";
  const KernelError kernel_error = load_error(d, record);
  CHECK(kernel_error.kind == FailureKind::kBuild);
  CHECK(kernel_error.reason.find("CL_INVALID_KERNEL_NAME") != std::string::npos);
}

TEST_CASE("a work-group that is too large for the device is rejected before the launch") {
  const TestDevice d;
  KernelRecord record = emit(gemm_point(Op::kNN));
  const auto limit = identify(d.device).limits.max_work_group_size;
  record.work_group = {static_cast<int>(limit), 2};
  CHECK(load_error(d, record).kind == FailureKind::kLimits);
}

TEST_CASE(
    "a kernel whose types the device does not support is rejected with the extension's name") {
  const TestDevice d;
  KernelRecord record = emit(gemm_point(Op::kNN));
  record.precision = Precision::kHalf;
  record.accumulate_k = 8;
  const bool has_type = has_extension(d.device, kHalfArithmetic);
  if (has_type) SKIP_CASE("the device supports half-precision arithmetic");
  const KernelError kernel_error = load_error(d, record);
  CHECK(kernel_error.kind == FailureKind::kLimits);
  CHECK(kernel_error.reason.find("cl_khr_fp16") != std::string::npos);
}

TEST_CASE("a launch that the driver rejects is reported with the name of the code") {
  const TestDevice d;
  KernelRecord record = emit(gemm_point(Op::kNN));
  record.work_group = {2, 1};  // the kernel requires 1 x 1
  const auto kernel = load_kernel(d, record);
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 64);
  GemmProblem problem;
  problem.shape = {2, 2, 2};
  problem.a = problem.b = problem.c = {buffer(), 0, 2};
  const Launched launched = d.executor.launch(d.queue, *kernel, problem, {});
  REQUIRE(std::holds_alternative<KernelError>(launched));
  const KernelError& kernel_error = std::get<KernelError>(launched);
  CHECK(kernel_error.kind == FailureKind::kLaunch);
  CHECK(kernel_error.reason.find(opencl_code_text(kernel_error.opencl_code)) != std::string::npos);
}

TEST_CASE("a device has an identity that a profile can store") {
  const TestDevice d;
  const DeviceIdentity identity = identify(d.device);
  CHECK_FALSE(identity.vendor.empty());
  CHECK_FALSE(identity.name.empty());
  CHECK(identity.opencl_c_version.find("OpenCL C") == 0);
  CHECK(identity.limits.max_work_group_size >= 1);
  CHECK(identity.limits.max_work_item_sizes[1] >= 1);
  CHECK(identity.compute_units >= 1);
  CHECK(identity.processor == (device_kind(d.device) == DeviceKind::kCpu ? host_processor() : ""));
  CHECK(identity == identify(d.device));
  CHECK_FALSE(hard_mismatch(identity, identity));
  Profile profile = built_in_profile({});
  profile.kind = ProfileKind::kTuned;
  profile.device = identity;
  CHECK(parse_profile(write_profile(profile), "round trip") == profile);
}

}  // namespace
}  // namespace tilewright
