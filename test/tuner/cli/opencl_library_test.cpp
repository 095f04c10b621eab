// Tests that the program runs with any OpenCL library of the machine, and reports its problems.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "run_program.hpp"
#include "runtime/opencl/opencl_loader.hpp"
#include "scoped_variable.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

const std::string kDigitsFolder = TILEWRIGHT_DIGITS;

std::size_t listed_devices() {
  const ProgramResult result = run_program("devices --json");
  INFO(result.error);
  CHECK(result.exit_code == 0);
  return nlohmann::json::parse(result.out).size();
}

TEST_CASE("OpenCL library: the one that this process is linked to is used and complete") {
  const OpenClLoader loader = opencl_loader();
  CHECK_FALSE(loader.path.empty());
  CHECK(loader.missing.empty());
  CHECK(no_loader_reason().empty());
  CHECK(missing_function_reason("clCreateImage").empty());
}

TEST_CASE(
    "OpenCL library: a vendor's library for OpenCL 1.1 with other symbol versions is sufficient") {
  const std::size_t usual = listed_devices();
  const ScopedVariable folder("LD_LIBRARY_PATH", TILEWRIGHT_VENDOR_LOADER_FOLDER);
  const ProgramResult version = run_program("--version");
  CHECK(version.exit_code == 0);
  CHECK(version.error.empty());
  CHECK(listed_devices() == usual);
  const ProgramResult net = run_program(
      "net run " + kDigitsFolder + "/digits.json --profile builtin --input " + kDigitsFolder +
      "/digits.npy --output " + scratch_folder() + "/vendor.npy --device 0");
  INFO(net.error);
  CHECK(net.exit_code == 0);
  const ProgramResult doctor = run_doctor();
  INFO(doctor.out);
  CHECK_THAT(doctor.out,
             ContainsSubstring(TILEWRIGHT_VENDOR_LOADER_FOLDER
                               "/libOpenCL.so.1 is a vendor's loader for OpenCL 1.1: it "
                               "lacks clCreateImage, clEnqueueMarkerWithWaitList, "
                               "clReleaseDevice, clRetainDevice"));
  CHECK_THAT(doctor.out, ContainsSubstring("apt install ocl-icd-libopencl1"));
  CHECK_THAT(doctor.out, !ContainsSubstring("queried alone"));
}

TEST_CASE("OpenCL library: without one every command lists those that were tried") {
  const ScopedVariable none("TILEWRIGHT_OPENCL", "/no/such/libOpenCL.so");
  const ProgramResult devices = run_program("devices");
  CHECK(devices.exit_code == 0);
  CHECK_THAT(devices.out, ContainsSubstring("no OpenCL library") &&
                              ContainsSubstring("/no/such/libOpenCL.so") &&
                              ContainsSubstring("TILEWRIGHT_OPENCL"));
  const ProgramResult tune = run_program("tune --device 0");
  CHECK(tune.exit_code == 2);
  CHECK_THAT(tune.error, ContainsSubstring("no OpenCL library"));
  const ProgramResult doctor = run_doctor();
  CHECK(doctor.exit_code == 1);
  CHECK_THAT(doctor.out, ContainsSubstring("no OpenCL library"));
}

TEST_CASE("OpenCL library: a library without OpenCL is rejected") {
  const ScopedVariable other("TILEWRIGHT_OPENCL", "libm.so.6");
  CHECK_THAT(run_program("devices").out, ContainsSubstring("libm.so.6: has no OpenCL functions"));
}

}  // namespace
}  // namespace tilewright
