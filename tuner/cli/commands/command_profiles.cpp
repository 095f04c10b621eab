#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "profiles/base/printable.hpp"
#include "profiles/base/read_file.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/base/write_file.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/profile_search.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/report/profile_list.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

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

// Copies a profile to the folder, so that applications find it and other users cannot change it.
// Returns the path of the copy. A profile of the same name and device is replaced. Throws
// ProfileError if the file is not a valid profile, and UsageError if it is not for a device, or if
// a profile of another device has its name.
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
  // Removes the rights that a umask of 002 leaves: another user who can write to the parent folder
  // could replace the folder. If that fails, print_users() reports that the profile is not used.
  for (const std::string& path : {parent_folder(folder), folder, copy}) {
    std::error_code ignored;
    fs::permissions(path, fs::perms::group_write | fs::perms::others_write,
                    fs::perm_options::remove, ignored);
  }
  return copy;
}

// Removes a profile from the folder and returns its path. `name` is its path or the name of its
// file. Throws UsageError if the folder has no such file.
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

void print_json(const std::vector<ListedProfile>& profiles) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ListedProfile& each : profiles) {
    json.push_back({{"file", each.file},
                    {"kind", each.kind},
                    {"device", each.device},
                    {"made", each.made},
                    {"used", !each.untrusted}});
  }
  print_lines(pretty(json) + "\n");
}

void print_profiles(const std::vector<ListedProfile>& profiles,
                    const std::vector<std::string>& folders) {
  std::vector<UntrustedProfile> untrusted;
  for (const ListedProfile& each : profiles) {
    print("{:<10}{}\n", each.kind, each.file.empty() ? "built into the program" : each.file);
    if (!each.device.empty()) print("          for {}\n", each.device);
    print("          {}\n", each.made);
    if (!each.untrusted) continue;
    print("          not used (see below)\n");
    untrusted.push_back(*each.untrusted);
  }
  for (const std::string& folder : folders) {
    if (profile_files(folder).empty()) print("no profiles in {}\n", folder);
  }
  for (const TrustReport& report : trust_reports(untrusted)) {
    print("not used: {}\n", to_text(report));
  }
}

// Prints for each device whether applications now use the profile, and why not.
void print_users(const std::string& file) {
  const DeviceList list = list_devices();
  if (list.devices.empty()) print("{}\n", no_device_reason(list.failures));
  const Profile profile = load_profile(file);
  for (const ListedDevice& device : list.devices) {
    const std::string label = fmt::format("device {} ({})", device.index, device.identity.name);
    if (!device.obstacle.empty()) {
      print("{}: cannot be used: {}\n", label, device.obstacle);
      continue;
    }
    try {
      const FoundProfile found =
          find_profile(ProfileSource::automatic(), default_search_path(), device.identity);
      const bool is_fallback = !found.fallback.empty() && found.fallback.front().path == file;
      const auto mismatch = hard_mismatch(profile, device.identity);
      if (found.path == file) {
        print("{}: applications use it\n", label);
      } else if (is_fallback) {
        print("{}: applications use it for products that {} does not cover\n", label, found.path);
      } else {
        print("{}: not used: {}\n", label,
              mismatch ? *mismatch : "applications use " + origin_text(found) + found.remarks);
      }
    } catch (const Error& error) {
      print("{}: {}\n", label, std::string(error.what()));
    }
  }
}

std::string require_user_folder() {
  std::string folder = user_profile_folder();
  if (folder.empty()) {
    throw UsageError("no folder for profiles: neither HOME nor XDG_DATA_HOME is an absolute path");
  }
  return folder;
}

void install(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const std::string copy = install_profile(file, require_user_folder());
    print("installed {}\n", copy);
    print_users(copy);
  }
}

void list(const std::vector<std::string>& folders, bool json) {
  SearchPath path = default_search_path();
  if (!folders.empty()) path.folders = folders;
  const std::vector<ListedProfile> profiles = list_profiles(path);
  if (json) {
    print_json(profiles);
  } else {
    print_profiles(profiles, path.folders);
  }
}

}  // namespace

void add_profiles_command(CLI::App& app) {
  struct Arguments {
    std::vector<std::string> folders;
    std::vector<std::string> installed;
    std::vector<std::string> removed;
    bool json = false;
  };
  CLI::App* command =
      app.add_subcommand("profiles", "List, install and remove the profiles on this machine");
  auto a = std::make_shared<Arguments>();
  CLI::Option* folders = command->add_option(
      "FOLDER", a->folders, "Folders to list [default: those in which applications look]");
  CLI::Option* install_option =
      command
          ->add_option("--install", a->installed,
                       "Copy profiles to the folder in which your applications look first")
          ->type_name("FILE")
          ->excludes(folders);
  CLI::Option* remove_option =
      command
          ->add_option("--remove", a->removed, "Remove profiles from that folder, by name or path")
          ->type_name("FILE")
          ->excludes(folders)
          ->excludes(install_option);
  add_json_flag(*command, a->json)->excludes(install_option)->excludes(remove_option);
  command->footer(
      "Examples:\n"
      "  tilewright profiles\n"
      "  tilewright profiles --install mali-t860.toml");
  command->callback([a] {
    for (const std::string& name : a->removed) {
      print("removed {}\n", remove_profile(name, require_user_folder()));
    }
    install(a->installed);
    if (a->installed.empty() && a->removed.empty()) list(a->folders, a->json);
  });
}

}  // namespace tilewright
