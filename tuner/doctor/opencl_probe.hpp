// Which OpenCL devices are there, asked so that a driver that crashes or hangs takes nobody along?
//
// Drivers are loaded in worker processes (worker_process.hpp) only. Answers are values: a driver
// that dies is what the asking is for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/opencl/opencl_loader.hpp"

namespace tilewright {

struct ProbedDevice {
  std::string type;  // "gpu", "cpu", "accelerator"
  bool unified_memory = false;
  bool timers = true;  // commands can be timed
  DeviceIdentity identity;
};

struct OpenClProbe {
  std::vector<ProbedDevice> devices;  // in the order of `tilewright devices`
  std::string failure;                // why there is no answer: "died of SIGSEGV"; "": there is one
  std::vector<std::string> failures = {};  // of single platforms and devices (DeviceList)
  std::optional<OpenClLoader> loader = {};  // that the program calls; nullopt: there is no answer
  // ICD files whose driver answers, asked alone, and lists no device. probe_opencl() leaves it
  // empty.
  std::vector<std::string> without_devices = {};
};

// How long a driver may be silent.
inline constexpr double kProbeSeconds = 30.0;

// Asks all drivers that the loader finds, or the one that an .icd file names. `program`: "" for
// this one. Throws std::system_error if no process can be started.
OpenClProbe probe_opencl(const std::string& icd_file = "", const std::string& program = "",
                         double seconds = kProbeSeconds);

// Why a shared library cannot be loaded, nullopt: it can. Throws likewise.
std::optional<std::string> probe_library(const std::string& library,
                                         const std::string& program = "",
                                         double seconds = kProbeSeconds);

}  // namespace tilewright
