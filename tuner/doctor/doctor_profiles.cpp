// Which profile serves each device, which ones do not, and why.
#include <fmt/format.h>

#include "profiles/hardware_name.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/doctor/doctor_parts.hpp"

namespace tilewright {
namespace {

struct ReadProfile {
  std::string path;
  Profile profile;
};

// The profiles of all folders; those that cannot be used are findings.
std::vector<ReadProfile> read_all(const SearchPath& search, Findings& findings) {
  std::vector<ReadProfile> read;
  for (const std::string& folder : search.folders) {
    for (const std::string& path : profile_files(folder)) {
      try {
        read.push_back({path, load_found_profile(path)});
      } catch (const ProfileError& error) {
        findings.push_back(problem("profile", fmt::format("passed over: {}", error.what()),
                                   fmt::format("write it anew (tilewright tune), or remove it: rm "
                                               "'{}'",
                                               path)));
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

// Do kernels of the one make a good start on the other? Devices of one name, and those that one
// driver compiles for.
bool is_near(const DeviceIdentity& profiled, const DeviceIdentity& device) {
  return is_same_hardware(profiled, device) || platform_name(profiled) == platform_name(device);
}

// Measured profiles that do not serve the device, though they are of it or of one like it.
Findings others(const std::vector<ReadProfile>& profiles, const FoundProfile& found,
                const DeviceIdentity& device, std::size_t index) {
  Findings findings;
  const bool served_well = found.profile.kind == ProfileKind::kTuned && !found.under_other_software;
  for (const auto& [path, profile] : profiles) {
    if (profile.kind != ProfileKind::kTuned || path == found.path) continue;
    const std::optional<std::string> mismatch = hard_mismatch(profile, device);
    if (!mismatch) {
      if (served_well && soft_mismatch(profile, device)) continue;
      findings.push_back(
          note("profile",
               fmt::format("{} fits device {}, too, but another one comes first", path, index),
               "TILEWRIGHT_PROFILE=FILE names one; remove the other if nothing needs it"));
    } else if (!served_well && is_near(profile.device, device)) {
      findings.push_back(note(
          "profile",
          fmt::format(
              "{} is a profile of {} under another driver or compiler target, and "
              "does not serve device {}: {}",
              path, is_same_hardware(profile.device, device) ? "this device" : "a device like this",
              index, *mismatch),
          fmt::format("tilewright tune --device {} --warm-start '{}' starts with its kernels",
                      index, path)));
    }
  }
  return findings;
}

Finding served(const FoundProfile& found, std::size_t index) {
  const std::string seen = fmt::format("device {} is served by {}: {}", index,
                                       to_text(found.profile.kind), found.origin);
  if (found.profile.kind != ProfileKind::kTuned) {
    return note("profile", seen, fmt::format("tilewright tune --device {}", index));
  }
  if (found.under_other_software) {
    return note("profile", seen,
                fmt::format("tilewright verify '{1}' --device {0}, or tilewright tune --device {0} "
                            "--warm-start '{1}'",
                            index, found.path));
  }
  return ok("profile", seen);
}

}  // namespace

Findings profile_findings(const OpenClProbe& probe, const SearchPath& profiles) {
  Findings findings;
  const std::vector<ReadProfile> read = read_all(profiles, findings);
  for (std::size_t i = 0; i < probe.devices.size(); ++i) {
    const DeviceIdentity& identity = probe.devices[i].identity;
    try {
      const FoundProfile found = find_profile(ProfileSource::automatic(), profiles, identity);
      findings.push_back(served(found, i));
      for (Finding& other : others(read, found, identity, i)) findings.push_back(std::move(other));
    } catch (const Error& error) {
      findings.push_back(problem("profile", fmt::format("device {}: {}", i, error.what()),
                                 "mend or remove that file, or unset TILEWRIGHT_PROFILE"));
    }
  }
  return findings;
}

}  // namespace tilewright
