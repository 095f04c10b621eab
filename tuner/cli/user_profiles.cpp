#include "tuner/cli/user_profiles.hpp"

#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "profiles/base/printable.hpp"
#include "profiles/base/read_file.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/base/write_file.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/profile_search.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// Removes the rights that a umask of 002 leaves. If that fails, the caller finds the profile not
// used.
void keep_from_others(const std::string& path) {
  std::error_code ignored;
  fs::permissions(path, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove,
                  ignored);
}

std::string device_text(const Profile& profile) {
  return fmt::format("{}, {} compute units", in_quotes(profile.device.name),
                     profile.device.compute_units);
}

bool is_same_device(const Profile& a, const Profile& b) {
  return a.kind == b.kind && a.device.name == b.device.name &&
         a.device.processor == b.device.processor &&
         a.device.compute_units == b.device.compute_units;
}

// The profile in the file; nullopt if there is none, or if it is damaged.
std::optional<Profile> readable_profile(const std::string& file) {
  try {
    return load_profile(file);
  } catch (const ProfileError&) {
    return std::nullopt;
  }
}

}  // namespace

std::string install_profile(const std::string& file, const std::string& folder) {
  const FileContent read = read_file(file);
  if (!read.failure.empty()) throw ProfileError(file, 0, "", read.failure);
  const Profile profile = parse_profile(read.bytes, file);
  if (profile.kind == ProfileKind::kGeneric) {
    throw UsageError(file + " is the built-in profile, which applications have without it");
  }
  fs::path name = fs::path(file).filename();
  if (name.extension() != ".toml") name += ".toml";  // the library looks for no other names
  const std::string copy = folder + "/" + name.string();
  const std::optional<Profile> old = readable_profile(copy);
  if (old && !is_same_device(*old, profile)) {
    throw UsageError(fmt::format("{} is a profile for another device ({}, not {}); rename {}", copy,
                                 device_text(*old), device_text(profile), file));
  }
  fs::create_directories(folder);
  write_file_atomically(copy, read.bytes);
  // Who can write to the parent folder could replace the folder.
  for (const std::string& path : {parent_folder(folder), folder, copy}) keep_from_others(path);
  return copy;
}

std::string remove_profile(const std::string& name, const std::string& folder) {
  const std::string file = folder + "/" + fs::path(name).filename().string();
  std::error_code missing;
  const bool is_elsewhere =
      name.find('/') != std::string::npos && !fs::equivalent(name, file, missing);
  if (is_elsewhere || !fs::is_regular_file(file, missing)) {
    std::vector<std::string> names;
    for (const std::string& each : profile_files(folder))
      names.push_back(fs::path(each).filename());
    throw UsageError(
        fmt::format("--remove: {} is not in {}, which has {}", name, folder,
                    names.empty() ? "no profiles" : fmt::format("{}", fmt::join(names, ", "))));
  }
  fs::remove(file);
  return file;
}

}  // namespace tilewright
