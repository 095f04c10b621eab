#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "profiles/base/usage_error.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/profile_search.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/device_list.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/cli/user_profiles.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/report/profile_list.hpp"

namespace tilewright {
namespace {

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
          ->add_option("--remove", a->removed,
                       "Remove profiles from that folder, by name or path")
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
