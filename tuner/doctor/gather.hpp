// Gathers the facts for checks.hpp from the files of a machine and from its drivers' replies.
#pragma once

#include <map>
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

  // Returns true if a driver for Mali GPUs that can run OpenCL holds the node.
  bool is_mali() const;
};
// Returns the path of an attribute of kbase's device.
std::string kbase_file(const std::string& name);
// Returns the GPUs of a machine.
std::vector<GpuNode> gpu_nodes(const BoardFiles& files);

// The sources of the facts. The arguments of examine(), the drivers and the GPUs.
struct Machine {
  const BoardFiles& files;
  const DoctorUser& user;
  const std::optional<OpenClProbe>& probe;  // nullopt: drivers were not queried
  const std::map<std::string, std::string>& culprits;
  const SearchPath& profiles;
  std::vector<Driver> drivers;
  std::vector<GpuNode> nodes;

  // Returns true if this kernel driver holds a GPU.
  bool has_node(const std::string& kernel_driver) const;
  bool lists_gpu() const;  // true if an OpenCL driver lists a GPU
};

using EvidenceList = std::vector<Evidence>;

// Returns the value of a boolean fact: "yes" or "".
inline std::string yes(bool holds) {
  return holds ? "yes" : "";
}

// Each of these functions appends the facts of some subjects. examine() calls them in this order,
// which is that of the findings.
void gather_nodes(const Machine& machine, EvidenceList& all);    // node
void gather_drivers(const Machine& machine, EvidenceList& all);  // loader, icd, pocl, cache
void gather_stack(const Machine& machine, EvidenceList& all);    // libmali, firmware, rusticl, lima
void gather_devices(const Machine& machine, EvidenceList& all);  // opencl
void gather_profiles(const Machine& machine, EvidenceList& all);  // profile
// clock, watchdog, cpu, temperature, memory, sensor
void gather_conditions(const Machine& machine, EvidenceList& all);

}  // namespace tilewright
