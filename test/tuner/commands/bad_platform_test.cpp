// One platform or device that fails does not hide the others from any command.
#include <nlohmann/json.hpp>

#include "bad_driver_folder.hpp"
#include "catch.hpp"
#include "run_program.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// A device of a working driver, if there is one in the system's folder.
std::string working_device(const ProgramResult& devices) {
  const auto json = nlohmann::json::parse(devices.out);
  for (const auto& device : json) {
    if (device["platform"].get<std::string>().rfind("Bad Platform", 0) != 0) {
      return std::to_string(device["index"].get<int>());
    }
  }
  return "";
}

TEST_CASE("bad platform: the devices of the others are listed, and it is named", "[may_skip]") {
  for (const char* fault : {"devices=-6", "devices=-5", "devices=-30", "devices=-1001"}) {
    const BadDriver bad(fault, true);
    const ProgramResult devices = run_program("devices --json");
    INFO(fault << ": " << devices.error);
    CHECK(devices.exit_code == 0);
    if (working_device(devices).empty()) SKIP_CASE("no driver in /etc/OpenCL/vendors has a device");
    CHECK_THAT(devices.error,
               ContainsSubstring("platform 'Bad Platform' does not list its devices: "
                                 "clGetDeviceIDs failed with CL_"));
    CHECK_THAT(devices.error,
               !ContainsSubstring("free some host memory") && !ContainsSubstring("is installed"));
  }
}

TEST_CASE("bad platform: a device that fails a query is left out", "[may_skip]") {
  // Name, driver version, C version, largest work-group.
  for (const char* fault : {"query=0x102b", "query=0x102d", "query=0x103d", "query=0x1004"}) {
    const BadDriver bad(fault, true);
    const ProgramResult devices = run_program("devices --json");
    INFO(fault << ": " << devices.error);
    CHECK(devices.exit_code == 0);
    if (working_device(devices).empty()) SKIP_CASE("no driver in /etc/OpenCL/vendors has a device");
    CHECK_THAT(devices.error,
               ContainsSubstring("of platform 'Bad Platform' cannot be used: clGetDeviceInfo"));
    CHECK_THAT(devices.error, ContainsSubstring(std::string(fault).substr(6)));
    CHECK(nlohmann::json::parse(devices.out)[0]["index"] == 0);
  }
}

TEST_CASE("bad platform: commands run on the devices of the others", "[may_skip]") {
  const BadDriver bad("devices=-6", true);
  const std::string device = working_device(run_program("devices --json"));
  if (device.empty()) SKIP_CASE("no driver in /etc/OpenCL/vendors has a device");
  const std::string on = " --device " + device;
  for (const std::string& command :
       {"explain --profile builtin --shape 8x8x8" + on,
        "mlp run " TILEWRIGHT_DIGITS "/digits.json --profile builtin --input " TILEWRIGHT_DIGITS
        "/digits.npy --output " +
            scratch_folder() + "/y.npy" + on,
        "bench --shapes 8x8x8 --ops nn --seconds 10ms --profile builtin" + on,
        "tune --dry-run --shapes 8x8x8 --ops nn --budget 1s" + on}) {
    const ProgramResult result = run_program(command);
    INFO(command << "\n" << result.error);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("bad platform: doctor names its ICD file and lists the other devices", "[may_skip]") {
  const BadDriver bad("devices=-6", true);
  if (working_device(run_program("devices --json")).empty()) {
    SKIP_CASE("no driver in /etc/OpenCL/vendors has a device");
  }
  const ProgramResult doctor = run_program("doctor");
  INFO(doctor.out);
  CHECK(doctor.exit_code == 1);
  CHECK_THAT(doctor.out,
             ContainsSubstring("the driver of " + bad.folder.file("bad.icd") +
                               ", asked alone, reports: platform 'Bad Platform' does not list "
                               "its devices: clGetDeviceIDs failed with CL_OUT_OF_HOST_MEMORY"));
  CHECK_THAT(doctor.out, ContainsSubstring("opencl       0: "));
  CHECK_THAT(doctor.out, ContainsSubstring("profile      device 0 is served by "));
}

TEST_CASE("bad driver: what it prints on standard output goes to standard error", "[may_skip]") {
  const BadDriver bad("talk", true);
  const std::string device = working_device(run_program("devices --json"));
  if (device.empty()) SKIP_CASE("no driver in /etc/OpenCL/vendors has a device");
  const std::string on = " --device " + device;
  for (const std::string& command :
       {"devices --json" + std::string(), "explain --json --profile builtin --shape 8x8x8" + on,
        "space --json --codelet reduce" + on,
        "mlp bench --json --batch 1 --seconds 10ms --profile builtin " TILEWRIGHT_DIGITS
        "/digits.json" +
            on}) {
    const ProgramResult result = run_program(command);
    INFO(command << "\n" << result.error);
    CHECK(result.exit_code == 0);
    CHECK(nlohmann::json::accept(result.out));
    CHECK_THAT(result.error, ContainsSubstring("driver release 'x1'"));
  }
}

}  // namespace
}  // namespace tilewright
