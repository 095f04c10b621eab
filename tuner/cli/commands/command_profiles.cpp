#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/device/profile_search.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
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
    bool json = false;
  };
  CLI::App* command = app.add_subcommand("profiles", "List the profiles on this machine");
  auto a = std::make_shared<Arguments>();
  command->add_option("FOLDER", a->folders,
                      "Folders to list [default: those in which applications look]");
  add_json_flag(*command, a->json);
  command->callback([a] { list(a->folders, a->json); });
}

}  // namespace tilewright
