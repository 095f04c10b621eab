// Gathers the facts that checks.hpp judges, from files of a machine and from its drivers' answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/device/profile_search.hpp"
#include "tuner/doctor/checks.hpp"
#include "tuner/doctor/drivers.hpp"

namespace tilewright {

// A GPU that a kernel driver holds.
struct GpuNode {
  std::string path;      // "/dev/mali0"
  std::string driver;    // "kbase" (the vendor's), "panfrost", "panthor", "lima" ...; "": unknown
  std::string hardware;  // "Mali-G57 5 cores r0p1 0x9091", "arm,mali-t860"; "": unknown
};
bool is_mali(const GpuNode& node);
std::vector<GpuNode> gpu_nodes(const BoardFiles& files);

// Where the facts come from.
struct Machine {
  const BoardFiles& files;
  const DoctorUser& user;
  const std::optional<OpenClProbe>& probe;  // nullopt: drivers were not asked
  std::vector<Driver> drivers;
  std::vector<GpuNode> nodes;

  bool has_node(const std::string& kernel_driver) const;
  bool lists_gpu() const;  // a driver lists one
};

using EvidenceList = std::vector<Evidence>;

// The fact of a condition: "yes" or "".
std::string yes(bool holds);

// driver_evidence.cpp: subjects loader, icd, pocl.
EvidenceList driver_evidence(const Machine& machine);
// gpu_evidence.cpp: subject node; then libmali, firmware, rusticl and lima.
EvidenceList node_evidence(const Machine& machine);
EvidenceList stack_evidence(const Machine& machine);
// device_evidence.cpp: subjects opencl and profile. `culprits`: as of examine().
EvidenceList device_evidence(const Machine& machine,
                             const std::map<std::string, std::string>& culprits);
EvidenceList profile_evidence(const OpenClProbe& probe, const SearchPath& profiles);
// machine_evidence.cpp: subjects clock, watchdog, cpu, temperature, memory.
EvidenceList machine_evidence(const Machine& machine);

}  // namespace tilewright
