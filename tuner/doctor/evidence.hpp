// Gathers the facts for checks.hpp from the files of a machine and from its drivers' replies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/device/profile_search.hpp"
#include "tuner/doctor/checks.hpp"
#include "tuner/doctor/drivers.hpp"

namespace tilewright {

// A GPU with a kernel driver.
struct GpuNode {
  std::string path;  // "/dev/mali0"
  // "kbase" (the vendor's driver), "panfrost", "panthor", "lima" ...; "": unknown.
  std::string driver;
  std::string hardware;  // "Mali-G57 5 cores r0p1 0x9091", "arm,mali-t860"; "": unknown
};
// Returns true if a driver for Mali GPUs that can run OpenCL holds the node.
bool is_mali(const GpuNode& node);
// Returns the GPUs of a machine.
std::vector<GpuNode> gpu_nodes(const BoardFiles& files);

// The sources of the facts.
struct Machine {
  const BoardFiles& files;
  const DoctorUser& user;
  const std::optional<OpenClProbe>& probe;  // nullopt: drivers were not queried
  std::vector<Driver> drivers;
  std::vector<GpuNode> nodes;

  // Returns true if this kernel driver holds a GPU.
  bool has_node(const std::string& kernel_driver) const;
  bool lists_gpu() const;  // true if an OpenCL driver lists a GPU
};

// Facts about several things.
using EvidenceList = std::vector<Evidence>;

// Returns the value of a boolean fact: "yes" or "".
std::string yes(bool holds);

// driver_evidence.cpp: subjects loader, icd, pocl and cache.
EvidenceList driver_evidence(const Machine& machine);
// gpu_evidence.cpp: subject node; then libmali, firmware, rusticl and lima.
EvidenceList node_evidence(const Machine& machine);
EvidenceList stack_evidence(const Machine& machine);
// device_evidence.cpp: subjects opencl and profile. `culprits` is as for examine().
EvidenceList device_evidence(const Machine& machine,
                             const std::map<std::string, std::string>& culprits);
EvidenceList profile_evidence(const OpenClProbe& probe, const SearchPath& profiles);
// machine_evidence.cpp: subjects clock, watchdog, cpu, temperature, memory and sensor.
EvidenceList machine_evidence(const Machine& machine);

}  // namespace tilewright
