// Tests that a faulty platform or device does not hide the others from any command.
#include <nlohmann/json.hpp>

#include "bad_driver_folder.hpp"
#include "catch.hpp"
#include "run_program.hpp"
#include "scoped_variable.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// Returns the devices of the drivers in /etc/OpenCL/vendors alone. Whether a case can run must not
// depend on the fault that it tests.
nlohmann::json system_devices() {
  const ScopedVariable vendors("OCL_ICD_VENDORS", "/etc/OpenCL/vendors");
  const ProgramResult devices = run_program("devices --json");
  INFO(devices.error);
  REQUIRE(devices.exit_code == 0);
  return nlohmann::json::parse(devices.out);
}

bool is_of_bad_platform(const nlohmann::json& device) {
  return device["platform"].get<std::string>().starts_with("Bad Platform");
}

// Returns the number of the first device of a working driver. All of them must still be listed.
std::string working_device(const nlohmann::json& system, const ProgramResult& devices) {
  INFO(devices.out << devices.error);
  REQUIRE(devices.exit_code == 0);
  std::size_t working = 0;
  std::string first;
  for (const auto& device : nlohmann::json::parse(devices.out)) {
    if (is_of_bad_platform(device)) continue;
    if (working++ == 0) first = std::to_string(device["index"].get<int>());
  }
  REQUIRE(working == system.size());
  return first;
}

#define SYSTEM_DEVICES(system)                    \
  const nlohmann::json system = system_devices(); \
  if (system.empty()) SKIP_CASE("no driver in /etc/OpenCL/vendors has a device")

TEST_CASE("bad platform: the devices of other platforms are listed, and the faulty one is named",
          "[may_skip]") {
  SYSTEM_DEVICES(system);
  for (const char* fault : {"devices=-6", "devices=-5", "devices=-30", "devices=-1001"}) {
    const BadDriver bad(fault, true);
    const ProgramResult devices = run_program("devices --json");
    INFO(fault << ": " << devices.error);
    working_device(system, devices);
    CHECK_THAT(devices.error, ContainsSubstring("platform 'Bad Platform' cannot list"));
    CHECK_THAT(devices.error,
               !ContainsSubstring("free some host memory") && !ContainsSubstring("is installed"));
  }
}

TEST_CASE("bad platform: a device that fails a query is left out", "[may_skip]") {
  SYSTEM_DEVICES(system);
  // Name, driver version, OpenCL C version, maximum work-group size.
  for (const char* fault : {"query=0x102b", "query=0x102d", "query=0x103d", "query=0x1004"}) {
    const BadDriver bad(fault, true);
    const ProgramResult devices = run_program("devices --json");
    INFO(fault << ": " << devices.error);
    CHECK(working_device(system, devices) == "0");
    CHECK_THAT(devices.error, ContainsSubstring("'Bad Platform' cannot be used: clGetDeviceInfo"));
    CHECK_THAT(devices.error, ContainsSubstring(std::string(fault).substr(6)));
  }
}

TEST_CASE("bad platform: commands run on devices of other platforms, and name the faulty one",
          "[may_skip]") {
  SYSTEM_DEVICES(system);
  const BadDriver bad("devices=-6", true);
  const std::string device = working_device(system, run_program("devices --json"));
  const std::string on = " --device " + device;
  const std::string profile = scratch_folder() + "/bad_platform.toml";
  for (const std::string& command :
       {"explain --profile builtin --shape 8x8x8" + on,
        "net run " TILEWRIGHT_DIGITS "/digits.json --profile builtin --input " TILEWRIGHT_DIGITS
        "/digits.npy --output " +
            scratch_folder() + "/y.npy" + on,
        "bench --shapes 8x8x8 --ops nn --seconds 10ms --profile builtin" + on,
        "tune --dry-run --shapes 8x8x8 --ops nn --budget 1s" + on,
        "tune --shapes 8x8x8 --ops nn --activations none --budget 10h --candidates 1 --rounds 1 "
        "--output " +
            profile + on,
        "verify " + profile + on}) {
    const ProgramResult result = run_program(command);
    INFO(command << "\n" << result.error);
    CHECK(result.exit_code == 0);
    const std::string named = "tilewright: platform 'Bad Platform' cannot list its devices";
    CHECK_THAT(result.error, ContainsSubstring(named));
    CHECK(result.error.find(named) == result.error.rfind(named));
  }
}

TEST_CASE("bad platform: if it is the only one, no command tells the user to install a driver") {
  for (const char* fault : {"devices=-6", "devices=-6,unnamed"}) {
    const BadDriver bad(fault);
    for (const char* command :
         {"devices", "bench --shapes 8x8x8", "tune --dry-run --shapes 8x8x8", "tune --shapes 8x8x8",
          "explain --device 0 --profile builtin --shape 8x8x8"}) {
      const ProgramResult result = run_program(command);
      INFO(fault << ": " << command << "\n" << result.out << result.error);
      CHECK(result.exit_code == (std::string(command) == "devices" ? 0 : 2));
      const std::string name =
          std::string(fault) == "devices=-6" ? "platform 'Bad Platform'" : "an unnamed platform";
      CHECK_THAT(result.error, ContainsSubstring(name + " cannot list its devices"));
      CHECK_THAT(result.out + result.error,
                 ContainsSubstring("no OpenCL device: " + name +
                                   " cannot list its devices: "
                                   "clGetDeviceIDs failed with CL_OUT_OF_HOST_MEMORY") &&
                     ContainsSubstring("tilewright doctor") && !ContainsSubstring("install"));
    }
  }
}

TEST_CASE("bad platform: doctor names its ICD file and lists the other devices", "[may_skip]") {
  SYSTEM_DEVICES(system);
  const BadDriver bad("devices=-6", true);
  working_device(system, run_program("devices --json"));
  const ProgramResult doctor = run_doctor();
  INFO(doctor.out);
  CHECK(doctor.exit_code == 1);
  CHECK_THAT(doctor.out,
             ContainsSubstring("the driver of " + bad.folder.file("bad.icd") +
                               ", queried alone, reported: platform 'Bad Platform' cannot list "
                               "its devices: clGetDeviceIDs failed with CL_OUT_OF_HOST_MEMORY"));
  CHECK_THAT(doctor.out, ContainsSubstring("opencl       0: "));
  CHECK_THAT(doctor.out, ContainsSubstring("profile      device 0 uses a "));
}

TEST_CASE("bad platform: a device that cannot be used is named, and another one is the default",
          "[may_skip]") {
  SYSTEM_DEVICES(system);
  for (const auto& [fault, reason] : {std::pair{"unavailable", "CL_DEVICE_AVAILABLE is false"},
                                      {"uncompiling", "CL_DEVICE_COMPILER_AVAILABLE is false"}}) {
    const BadDriver bad(fault, true);
    const ProgramResult listed = run_program("devices --json");
    const std::string working = working_device(system, listed);
    const auto devices = nlohmann::json::parse(listed.out);
    std::string unusable;
    for (const auto& device : devices) {
      const bool is_bad = is_of_bad_platform(device);
      CHECK_THAT(device["obstacle"].get<std::string>(), ContainsSubstring(is_bad ? reason : ""));
      CHECK((device["obstacle"] == "") == !is_bad);
      CHECK((device["teams"].empty() || !is_bad));
      if (is_bad) unusable = std::to_string(device["index"].get<int>());
    }
    INFO(fault << ": device " << unusable);
    REQUIRE(unusable != "");
    // It is a GPU, and would be the default.
    for (const char* command :
         {"space --json --codelet reduce", "tune --dry-run --shapes 8x8x8 --ops nn --budget 1s"}) {
      const ProgramResult any = run_program(command);
      INFO(any.out << any.error);
      CHECK(any.exit_code == 0);
      const ProgramResult named = run_program(std::string(command) + " --device " + unusable);
      CHECK(named.exit_code == 2);
      CHECK_THAT(named.error, ContainsSubstring("--device: device " + unusable) &&
                                  ContainsSubstring(reason) &&
                                  ContainsSubstring("\n  " + working + ": "));
    }
    const ProgramResult doctor = run_doctor();
    CHECK(doctor.exit_code == 1);
    CHECK_THAT(doctor.out, ContainsSubstring("device " + unusable + " cannot be used") &&
                               ContainsSubstring(reason));
    const ProgramResult team = run_program("tune --team " + unusable + "," + working);
    CHECK(team.exit_code == 2);
    CHECK_THAT(team.error, ContainsSubstring(reason));
  }
}

TEST_CASE("bad driver: its output to standard output goes to standard error", "[may_skip]") {
  SYSTEM_DEVICES(system);
  const BadDriver bad("talk", true);
  const std::string device = working_device(system, run_program("devices --json"));
  const std::string on = " --device " + device;
  for (const std::string& command :
       {"devices --json" + std::string(), "explain --json --profile builtin --shape 8x8x8" + on,
        "space --json --codelet reduce" + on}) {
    const ProgramResult result = run_program(command);
    INFO(command << "\n" << result.error);
    CHECK(result.exit_code == 0);
    CHECK(nlohmann::json::accept(result.out));
    CHECK_THAT(result.error, ContainsSubstring("driver release 'x1'"));
  }
  // A worker process loads its driver.
  const ProgramResult bench =
      run_program("net bench --json --batch 1 --seconds 10ms --profile builtin " TILEWRIGHT_DIGITS
                  "/digits.json" +
                  on);
  CHECK(bench.exit_code == 0);
  CHECK(nlohmann::json::accept(bench.out));
}

#undef SYSTEM_DEVICES

}  // namespace
}  // namespace tilewright
