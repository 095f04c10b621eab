#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/device/device_identity.hpp"
#include "runtime/device/profile_search.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/journal/records/forms.hpp"
#include "tuner/journal/records/shares.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/measure/device/device_choice.hpp"
#include "tuner/measure/device/device_sensors.hpp"
#include "tuner/measure/device/possible_teams.hpp"
#include "tuner/measure/rates/device_rates.hpp"
#include "tuner/measure/rates/rates_text.hpp"

namespace tilewright {
namespace {

struct DevicesArguments {
  bool json = false;
  bool measure = false;
};

nlohmann::ordered_json measured_json(const DeviceRates& rates) {
  nlohmann::ordered_json multiply_adds = nlohmann::ordered_json::array();
  for (const MultiplyAddRate& rate : rates.multiply_adds) {
    const Forms forms = best_forms(rates, rate.precision);
    const auto best = forms.find(rate.vector_width);
    multiply_adds.push_back({{"vector_width", rate.vector_width},
                             {"form", rate.form},
                             {"precision", to_text(rate.precision)},
                             {"gflops", rate.gflops},
                             {"best", best != forms.end() && to_text(best->second) == rate.form}});
  }
  return {{"peak_gflops", rates.peak_gflops},
          {"double_peak_gflops", rates.double_peak_gflops},
          {"half_peak_gflops", rates.half_peak_gflops},
          {"half_is_emulated", rates.half_is_emulated},
          {"copy_gbytes_per_s", rates.copy_gbytes_per_s},
          {"local_gbytes_per_s", rates.local_gbytes_per_s},
          {"image_gbytes_per_s", rates.image_gbytes_per_s},
          {"launch_ns", rates.launch_ns},
          {"round_trip_ns", rates.round_trip_ns},
          {"timer_step_ns", rates.timer_step_ns},
          {"event_time", rates.event_time},
          {"multiply_adds", multiply_adds}};
}

// Measures a device. If that fails, prints the reason to standard error and returns nullopt, so
// that the other devices are still measured.
std::optional<DeviceRates> all_rates(const ListedDevice& device) {
  const std::vector<Precision> all(std::begin(kPrecisions), std::end(kPrecisions));
  try {
    return measure_device_rates(device, never_stop, {}, all);
  } catch (const Error& error) {
    print(stderr, "tilewright: cannot measure device {}: {}\n", device.index,
          std::string(error.what()));
    return std::nullopt;
  }
}

// Returns which profile applications would use on the device, and why.
std::string find_used_profile(const DeviceIdentity& device) {
  try {
    return origin_text(find_profile(ProfileSource::automatic(), default_search_path(), device));
  } catch (const Error& error) {
    return error.what();
  }
}

nlohmann::ordered_json sensors_json(const SensorChoice& choice) {
  nlohmann::ordered_json json{{"sensors", nlohmann::ordered_json::array()}};
  for (const EnergySensor& sensor : choice.sensors) {
    json["sensors"].push_back({{"name", sensor.info.name},
                               {"covers", sensor.info.covers},
                               {"source", sensor.info.source},
                               {"measures", sensor.info.counts_energy ? "energy" : "power"}});
  }
  if (!choice.missing.empty()) json["missing"] = choice.missing;
  return json;
}

// Returns the teams of which the device is a member.
nlohmann::ordered_json teams_json(const std::vector<PossibleTeam>& teams, std::size_t device) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const PossibleTeam& team : teams) {
    if (std::find(team.devices.begin(), team.devices.end(), device) == team.devices.end()) continue;
    json.push_back({{"devices", team.devices}, {"host_cblas", team.has_host_cblas}});
  }
  return json;
}

std::vector<PossibleTeam> listed_teams(const DeviceList& list) {
  std::vector<std::string> kinds;
  for (const ListedDevice& d : list.devices) {
    kinds.emplace_back(d.obstacle.empty() ? to_text(device_kind(d.device)) : "");
  }
  return possible_teams(kinds);
}

void print_sensors(const SensorChoice& choice) {
  for (const EnergySensor& sensor : choice.sensors) {
    print("   energy sensor {}: covers {}\n", sensor.info.name, sensor.info.covers);
  }
  if (!choice.missing.empty()) print("   energy cannot be measured: {}\n", choice.missing);
}

void print_json(const DeviceList& list, bool measure) {
  const std::vector<PossibleTeam> teams = listed_teams(list);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ListedDevice& d : list.devices) {
    const DeviceIdentity& identity = d.identity;
    json.push_back({{"index", d.index},
                    {"name", identity.name},
                    {"vendor", identity.vendor},
                    {"type", to_text(device_kind(d.device))},
                    {"platform", identity.platform},
                    {"driver", identity.driver},
                    {"opencl_c_version", identity.opencl_c_version},
                    {"processor", identity.processor},
                    {"compute_units", identity.compute_units},
                    {"max_clock_mhz", identity.max_clock_mhz},
                    {"max_work_group_size", identity.limits.max_work_group_size},
                    {"local_memory_bytes", identity.limits.local_memory_bytes},
                    {"local_memory_is_dedicated", identity.limits.local_memory_is_dedicated},
                    {"image_support", identity.limits.image_support},
                    {"obstacle", d.obstacle},
                    {"profile", find_used_profile(identity)},
                    {"energy", sensors_json(find_device_sensors(d))},
                    {"teams", teams_json(teams, json.size())}});
    if (!measure) continue;
    const std::optional<DeviceRates> rates = all_rates(d);
    json.back()["rates"] = rates ? measured_json(*rates) : nlohmann::ordered_json();
  }
  print_lines(pretty(json) + "\n");
}

void print_table(const DeviceList& list, bool measure) {
  if (list.devices.empty()) {
    print("{}\n", no_device_reason(list.failures));
    return;
  }
  for (const ListedDevice& d : list.devices) {
    const DeviceIdentity& identity = d.identity;
    print("{}: {}\n", d.index, identity.name);
    print("   {}, {} compute units, {}, {}\n", to_text(device_kind(d.device)),
          identity.compute_units, identity.vendor, identity.opencl_c_version);
    if (!identity.processor.empty()) print("   processor {}\n", identity.processor);
    print("   platform {}\n", short_platform(identity.platform));
    print("   work-groups of up to {}, {} KiB of {} local memory, {}images\n",
          identity.limits.max_work_group_size, identity.limits.local_memory_bytes / 1024,
          identity.limits.local_memory_is_dedicated ? "dedicated" : "emulated",
          identity.limits.image_support ? "" : "no ");
    if (!d.obstacle.empty()) print("   cannot be used: {}\n", d.obstacle);
    print("   profile {}\n", find_used_profile(identity));
    print_sensors(find_device_sensors(d));
    const std::optional<DeviceRates> rates = measure ? all_rates(d) : std::nullopt;
    if (!rates) continue;
    for (const std::string& line : rates_text(*rates)) {
      print("   {}\n", line);
    }
  }
  for (const PossibleTeam& team : listed_teams(list)) print("teams: {}\n", to_text(team));
}

}  // namespace

void add_devices_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("devices", "List the OpenCL devices of this machine");
  auto a = std::make_shared<DevicesArguments>();
  command->add_flag("--measure", a->measure,
                    "Measure peak GFLOPS, bandwidth and launch overhead (takes some seconds)");
  add_json_flag(*command, a->json);
  command->footer(
      "Examples:\n"
      "  tilewright devices\n"
      "  tilewright devices --measure --json");
  command->callback([a] {
    const DeviceList devices = list_devices();
    (a->json ? print_json : print_table)(devices, a->measure);
  });
}

}  // namespace tilewright
