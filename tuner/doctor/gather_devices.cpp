// Facts about the devices that the drivers report, and about the profile of each device.
#include <fmt/format.h>

#include <algorithm>

#include "profiles/hardware_name.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/doctor/gather.hpp"
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

void gather_listed_devices(const Machine& machine, EvidenceList& all) {
  const std::vector<ProbedDevice>& devices = machine.probe->devices;
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    all.push_back({"opencl", {{"device", device_line(devices[i], i)}}});
    kinds.push_back(devices[i].obstacle.empty() ? devices[i].type : "");
  }
  const bool has_mali = std::any_of(machine.nodes.begin(), machine.nodes.end(),
                                    [](const GpuNode& node) { return node.is_mali(); });
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
  // Devices that differ from an earlier one only in the number of compute units. Equal devices use
  // the same profile.
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

// Measured profiles for this or a similar device that the device does not use.
void add_others(const std::vector<ReadProfile>& profiles, const FoundProfile& found,
                const DeviceIdentity& device, const std::string& index, EvidenceList& all) {
  const bool is_fine = found.profile.kind == ProfileKind::kTuned && !found.under_other_software;
  const auto platform = [](const DeviceIdentity& identity) {
    return identity.platform.substr(0, identity.platform.find(','));
  };
  for (const auto& [path, profile] : profiles) {
    const bool is_used =
        path == found.path || (!found.fallback.empty() && path == found.fallback.front().path);
    if (profile.kind != ProfileKind::kTuned || is_used) continue;
    const bool other_processor = is_other_processor(profile.device.processor, device.processor);
    std::optional<std::string> mismatch = hard_mismatch(profile, device);
    if (!mismatch && other_processor) mismatch = soft_mismatch(profile, device);
    if (!mismatch && is_fine && soft_mismatch(profile, device)) continue;
    const bool is_same = hardware_name(profile.device.name) == hardware_name(device.name);
    // Kernels for a device of the same name or with the same driver are a good start.
    const bool is_near = is_same || platform(profile.device) == platform(device);
    if (mismatch && (is_fine || !is_near)) continue;
    all.push_back({"profile",
                   {{"device", index},
                    {"path", path},
                    {"mismatch", mismatch.value_or("")},
                    {"other_processor", yes(other_processor)},
                    {"relation", is_same ? "this device" : "a device like this"}}});
  }
}

Evidence found_evidence(const FoundProfile& found, const std::string& index) {
  const std::size_t changed = found.profile.changed_built_in.size();
  return {"profile",
          {{"device", index},
           {"origin", found.origin},
           {"remarks", found.remarks},
           {"path", found.path},
           {"kind", std::string(to_text(found.profile.kind))},
           {"tuned", yes(found.profile.kind == ProfileKind::kTuned)},
           {"changed", changed == 0 ? "" : std::to_string(changed)},
           {"uncovered", found.profile.provenance.not_covered},
           {"fallback", found.fallback.empty() ? "" : found.fallback.front().path},
           {"other_software", yes(found.under_other_software)}}};
}

}  // namespace

bool Machine::lists_gpu() const {
  return probe && std::any_of(probe->devices.begin(), probe->devices.end(),
                              [](const ProbedDevice& device) { return device.type == "gpu"; });
}

void gather_devices(const Machine& machine, EvidenceList& all) {
  if (!machine.probe) {
    all.push_back({"opencl", {{"other_machine", "yes"}}});
    return;
  }
  for (const auto& [file, what] : machine.culprits) {
    all.push_back({"opencl", {{"culprit", file}, {"what", what}}});
  }
  if (machine.culprits.empty()) {
    all.push_back({"opencl", {{"crash", machine.probe->failure}}});
    for (const std::string& failure : machine.probe->failures) {
      all.push_back({"opencl", {{"failure", failure}}});
    }
  }
  if (machine.probe->failure.empty()) gather_listed_devices(machine, all);
}

void gather_profiles(const Machine& machine, EvidenceList& all) {
  if (!machine.probe) return;
  const std::vector<ReadProfile> read = read_all(machine.profiles, all);
  std::vector<UntrustedProfile> untrusted;  // of all devices
  for (std::size_t i = 0; i < machine.probe->devices.size(); ++i) {
    if (!machine.probe->devices[i].obstacle.empty()) continue;
    const DeviceIdentity& identity = machine.probe->devices[i].identity;
    const std::string index = std::to_string(i);
    try {
      const FoundProfile found =
          find_profile(ProfileSource::automatic(), machine.profiles, identity);
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
}

}  // namespace tilewright
