// Folders of profiles for a board, for tests of the search.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/profile_search.hpp"

namespace tilewright {

// The device whose profiles are searched.
inline DeviceIdentity board() {
  DeviceIdentity device;
  device.vendor = "ARM";
  device.name = "Mali-T628";
  device.opencl_c_version = "OpenCL C 1.1 ";
  device.limits = {256, {256, 256}, 32768, false, true};
  device.platform = "ARM Platform, OpenCL 1.1";
  device.driver = "r12p0";
  device.compute_units = 4;
  device.max_clock_mhz = 5;
  return device;
}

// The built-in kernels as a profile of `device`.
inline std::string make_profile_text(const DeviceIdentity& device) {
  Profile profile = built_in_profile({});
  profile.kind = ProfileKind::kTuned;
  profile.device = device;
  return write_profile(profile);
}

// A folder that is removed with its files when the object is destroyed.
struct ProfileFolder {
  std::filesystem::path path;
  explicit ProfileFolder(const std::string& name)
      : path(std::filesystem::temp_directory_path() /
             ("tilewright-search-" + std::to_string(::getpid()) + "-" + name)) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~ProfileFolder() { std::filesystem::remove_all(path); }
  // Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

// Searches a profile for board() and returns the status of the error; TW_SUCCESS if there is none.
inline tw_status thrown_status(const ProfileSource& source, const SearchPath& path) {
  try {
    find_profile(source, path, board());
    return TW_SUCCESS;
  } catch (const Error& error) {
    return error.status();
  }
}

// The built-in kernels as a predicted profile of devices with this name and number of units.
inline std::string make_predicted_text(const std::string& name, int compute_units) {
  Profile profile = built_in_profile({});
  profile.kind = ProfileKind::kPredicted;
  profile.device = {};
  profile.device.name = name;
  profile.device.limits = {64, {64, 64}, 0, false, false};
  profile.device.compute_units = compute_units;
  return write_profile(profile);
}

}  // namespace tilewright
