// Facts about the devices that the drivers report, and about the profile of each device.
#include <fmt/format.h>

#include <algorithm>

#include "profiles/hardware_name.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/doctor/evidence.hpp"
#include "tuner/measure/device/possible_teams.hpp"

namespace tilewright {
namespace {

std::string device_line(const ProbedDevice& device, std::size_t index) {
  const DeviceIdentity& identity = device.identity;
  return fmt::format("{}: {} ({}, {} compute units, {} memory), {}, driver {}", index,
                     identity.name, device.type, identity.compute_units,
                     device.unified_memory ? "shared" : "dedicated", identity.opencl_c_version,
                     identity.driver.substr(0, identity.driver.rfind(", OpenCL ")));
}

// Devices that differ from an earlier one only in the number of compute units. Equal devices use
// the same profile.
void add_parts(const std::vector<ProbedDevice>& devices, EvidenceList& all) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t j = i + 1; j < devices.size(); ++j) {
      const DeviceIdentity& a = devices[i].identity;
      const DeviceIdentity& b = devices[j].identity;
      if (a.name != b.name || a.compute_units == b.compute_units) continue;
      all.push_back({"opencl",
                     {{"device", std::to_string(i)},
                      {"units", std::to_string(a.compute_units)},
                      {"other_part", std::to_string(j)},
                      {"other_units", std::to_string(b.compute_units)}}});
    }
  }
}

void add_devices(const Machine& machine, EvidenceList& all) {
  const std::vector<ProbedDevice>& devices = machine.probe->devices;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    all.push_back({"opencl", {{"device", device_line(devices[i], i)}}});
  }
  const bool has_mali = std::any_of(machine.nodes.begin(), machine.nodes.end(), is_mali);
  if (devices.empty()) {
    all.push_back({"opencl", {{"unlisted", "a device"}}});
  } else if (has_mali && !machine.lists_gpu()) {
    all.push_back({"opencl", {{"unlisted", "the GPU, but only other devices"}}});
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!devices[i].obstacle.empty()) {
      all.push_back(
          {"opencl", {{"unusable", std::to_string(i)}, {"obstacle", devices[i].obstacle}}});
    }
    if (!devices[i].timers) all.push_back({"opencl", {{"without_timers", std::to_string(i)}}});
  }
  add_parts(devices, all);
  std::vector<std::string> kinds;
  for (const ProbedDevice& device : devices) {
    kinds.push_back(device.obstacle.empty() ? device.type : "");
  }
  for (const PossibleTeam& team : possible_teams(kinds)) {
    all.push_back({"opencl", {{"team", to_text(team)}}});
  }
}

struct ReadProfile {
  std::string path;
  Profile profile;
};

// The trusted profiles in all folders. Damaged ones are reported as evidence.
std::vector<ReadProfile> read_all(const SearchPath& search, EvidenceList& all) {
  std::vector<ReadProfile> read;
  for (const std::string& folder : search.folders) {
    for (const std::string& path : profile_files(folder)) {
      if (why_not_used(path, search.own)) continue;
      try {
        read.push_back({path, load_profile(path)});
      } catch (const ProfileError& error) {
        all.push_back({"profile", {{"damaged", error.what()}, {"path", path}}});
      }
    }
  }
  return read;
}

std::string platform_name(const DeviceIdentity& device) {
  return device.platform.substr(0, device.platform.find(','));
}

bool is_same_hardware(const DeviceIdentity& a, const DeviceIdentity& b) {
  return hardware_name(a.name) == hardware_name(b.name);
}

// True if kernels for one device are a good start for the other: they have the same name or the
// same driver.
bool is_near(const DeviceIdentity& profiled, const DeviceIdentity& device) {
  return is_same_hardware(profiled, device) || platform_name(profiled) == platform_name(device);
}

// Measured profiles for this or a similar device that the device does not use.
void add_others(const std::vector<ReadProfile>& profiles, const FoundProfile& found,
                const DeviceIdentity& device, const std::string& index, EvidenceList& all) {
  const bool is_fine = found.profile.kind == ProfileKind::kTuned && !found.under_other_software;
  for (const auto& [path, profile] : profiles) {
    const bool is_used =
        path == found.path || (!found.fallback.empty() && path == found.fallback.front().path);
    if (profile.kind != ProfileKind::kTuned || is_used) continue;
    const bool other_processor = is_other_processor(profile.device.processor, device.processor);
    std::optional<std::string> mismatch = hard_mismatch(profile, device);
    if (!mismatch && other_processor) mismatch = soft_mismatch(profile, device);
    if (!mismatch && is_fine && soft_mismatch(profile, device)) continue;
    if (mismatch && (is_fine || !is_near(profile.device, device))) continue;
    const bool is_same = is_same_hardware(profile.device, device);
    all.push_back({"profile",
                   {{"device", index},
                    {"path", path},
                    {"mismatch", mismatch.value_or("")},
                    {"other_processor", yes(other_processor)},
                    {"relation", is_same ? "this device" : "a device like this"}}});
  }
}

Evidence found_evidence(const FoundProfile& found, const std::string& index) {
  return {"profile",
          {{"device", index},
           {"origin", found.origin},
           {"remarks", found.remarks},
           {"path", found.path},
           {"kind", std::string(to_text(found.profile.kind))},
           {"tuned", yes(found.profile.kind == ProfileKind::kTuned)},
           {"uncovered", found.profile.provenance.not_covered},
           {"fallback", found.fallback.empty() ? "" : found.fallback.front().path},
           {"other_software", yes(found.under_other_software)}}};
}

}  // namespace

bool Machine::lists_gpu() const {
  return probe && std::any_of(probe->devices.begin(), probe->devices.end(),
                              [](const ProbedDevice& device) { return device.type == "gpu"; });
}

EvidenceList device_evidence(const Machine& machine,
                             const std::map<std::string, std::string>& culprits) {
  const OpenClProbe& probe = *machine.probe;
  EvidenceList all;
  for (const auto& [file, what] : culprits) {
    all.push_back({"opencl", {{"culprit", file}, {"what", what}}});
  }
  if (culprits.empty()) {
    all.push_back({"opencl", {{"crash", probe.failure}}});
    for (const std::string& failure : probe.failures) {
      all.push_back({"opencl", {{"failure", failure}}});
    }
  }
  if (probe.failure.empty()) add_devices(machine, all);
  return all;
}

EvidenceList profile_evidence(const OpenClProbe& probe, const SearchPath& profiles) {
  EvidenceList all;
  const std::vector<ReadProfile> read = read_all(profiles, all);
  std::vector<UntrustedProfile> untrusted;  // of all devices
  for (std::size_t i = 0; i < probe.devices.size(); ++i) {
    if (!probe.devices[i].obstacle.empty()) continue;
    const DeviceIdentity& identity = probe.devices[i].identity;
    const std::string index = std::to_string(i);
    try {
      const FoundProfile found = find_profile(ProfileSource::automatic(), profiles, identity);
      all.push_back(found_evidence(found, index));
      add_others(read, found, identity, index, all);
      untrusted.insert(untrusted.end(), found.untrusted.begin(), found.untrusted.end());
    } catch (const Error& error) {
      all.push_back({"profile", {{"device", index}, {"failure", error.what()}}});
    }
  }
  for (const TrustReport& report : trust_reports(untrusted)) {
    all.push_back({"profile", {{"untrusted", report.seen}, {"remedy", report.remedy}}});
  }
  return all;
}

}  // namespace tilewright
