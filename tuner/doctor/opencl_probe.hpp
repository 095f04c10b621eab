// Queries the OpenCL devices in a worker process, so that a driver that crashes or hangs does no
// harm.
//
// Drivers are loaded only in worker processes (device_worker.hpp). A driver that dies is a
// possible result, not an exception.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/opencl/opencl_loader.hpp"
#include "tuner/energy/energy_sensor.hpp"

namespace tilewright {

// A device that a driver lists.
struct ProbedDevice {
  std::string type;  // "gpu", "cpu", "accelerator"
  bool unified_memory = false;
  bool timers = true;  // the driver claims to support profiling
  DeviceIdentity identity;
  std::string obstacle = {};  // as that of a ListedDevice
};

// The replies of the drivers.
struct OpenClProbe {
  std::vector<ProbedDevice> devices;  // in the order of `tilewright devices`
  std::string failure;  // why there is no reply, for example "died of SIGSEGV"; "": there is one
  std::vector<std::string> failures = {};  // failures of single platforms and devices (DeviceList)
  // The loader that the program calls; nullopt: there was no reply.
  std::optional<OpenClLoader> loader = {};
  // ICD files whose driver, queried alone, replies but lists no device. probe_opencl() leaves it
  // empty.
  std::vector<std::string> without_devices = {};
  std::vector<SensorInfo> gpu_sensors = {};  // energy sensors that NVML has; of no ICD file
};

// How long a driver may be silent, in seconds.
inline constexpr double kProbeSeconds = 30.0;

// Queries all drivers that the loader finds, or only the driver of an ICD file. `program` is the
// program to run as the worker; "": this one. Throws std::system_error if the process cannot be
// started.
OpenClProbe probe_opencl(const std::string& icd_file = "", const std::string& program = "",
                         double seconds = kProbeSeconds);

// Returns why a shared library cannot be loaded; nullopt if it can. Throws std::system_error like
// probe_opencl().
std::optional<std::string> probe_library(const std::string& library,
                                         const std::string& program = "",
                                         double seconds = kProbeSeconds);

}  // namespace tilewright
