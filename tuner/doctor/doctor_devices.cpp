// What the drivers answer.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/doctor/doctor_parts.hpp"

namespace tilewright {
namespace {

std::string one_line(const OpenClProbe& probe, std::size_t index) {
  const ProbedDevice& device = probe.devices[index];
  const DeviceIdentity& identity = device.identity;
  return fmt::format("{}: {} ({}, {} compute units, memory of {}), {}, driver {}", index,
                     identity.name, device.type, identity.compute_units,
                     device.unified_memory ? "the host" : "its own", identity.opencl_c_version,
                     identity.driver);
}

// Devices that differ from an earlier one in the number of compute units only. What is equal in
// everything uses the same profile.
Findings halves(const OpenClProbe& probe) {
  Findings findings;
  const auto& devices = probe.devices;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t j = i + 1; j < devices.size(); ++j) {
      if (devices[i].identity.name != devices[j].identity.name ||
          devices[i].identity.compute_units == devices[j].identity.compute_units) {
        continue;
      }
      findings.push_back(note(
          "opencl",
          fmt::format("devices {} and {} have the same name and {} and {} compute units", i, j,
                      devices[i].identity.compute_units, devices[j].identity.compute_units),
          fmt::format("tune them apart: tilewright tune --device {}, then --device {}", i, j)));
    }
  }
  return findings;
}

Findings without_timers(const OpenClProbe& probe) {
  Findings findings;
  for (std::size_t i = 0; i < probe.devices.size(); ++i) {
    if (probe.devices[i].timers) continue;
    findings.push_back(note(
        "opencl", fmt::format("device {} cannot time its commands", i),
        "nothing need be done: kernels are timed by the host's clock, which takes longer and shows "
        "less; under Mesa, a newer kernel may give the GPU timestamps (panfrost: Linux 6.13)"));
  }
  return findings;
}

}  // namespace

bool lists_gpu(const std::optional<OpenClProbe>& probe) {
  return probe && std::any_of(probe->devices.begin(), probe->devices.end(),
                              [](const ProbedDevice& device) { return device.type == "gpu"; });
}

Findings device_findings(const OpenClProbe& probe,
                         const std::map<std::string, std::string>& culprits,
                         const std::vector<GpuNode>& nodes, bool has_causes) {
  Findings findings;
  for (const auto& [file, what] : culprits) {
    findings.push_back(problem("opencl",
                               fmt::format("the driver of {}, asked alone, {}", file, what),
                               fmt::format("fix the problem of its device node, which is "
                                           "listed above; else install another version of "
                                           "it, or disable it: sudo mv {0} {0}.off",
                                           file)));
  }
  if (!probe.failure.empty()) {
    if (culprits.empty()) {
      findings.push_back(problem("opencl",
                                 fmt::format("the process that asked the drivers for their devices "
                                             "{}",
                                             probe.failure),
                                 "leave one ICD file at a time in /etc/OpenCL/vendors to find the "
                                 "driver; dmesg may say more"));
    }
    return findings;
  }
  if (culprits.empty()) {
    for (const std::string& failure : probe.failures) {
      findings.push_back(problem("opencl", failure,
                                 "see the findings about nodes and drivers above; else install "
                                 "another version of the driver"));
    }
  }
  for (std::size_t i = 0; i < probe.devices.size(); ++i) {
    findings.push_back(ok("opencl", one_line(probe, i)));
  }
  const bool mali = std::any_of(nodes.begin(), nodes.end(), is_mali);
  const std::string remedy = has_causes
                                 ? "fix the problems above; then clinfo -l lists it"
                                 : "clinfo -l may show the driver's own messages, and dmesg the "
                                   "kernel's; else install another version of the driver";
  if (probe.devices.empty()) {
    findings.push_back(problem("opencl", "no driver lists a device", remedy));
  } else if (mali && !lists_gpu(probe)) {
    findings.push_back(problem("opencl", "no driver lists the GPU, only other devices", remedy));
  }
  for (const Findings& more : {without_timers(probe), halves(probe)}) {
    findings.insert(findings.end(), more.begin(), more.end());
  }
  return findings;
}

}  // namespace tilewright
