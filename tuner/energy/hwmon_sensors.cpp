// Finds sensors of power and energy under <sysfs>/class/hwmon.
//
// Files: energyN_input in microjoules, powerN_input or powerN_average in microwatts, and
// energyN_label or powerN_label (Documentation/hwmon/sysfs-interface.rst of Linux).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "tuner/energy/energy_sensor.hpp"
#include "tuner/energy/lower_case.hpp"
#include "tuner/energy/odroid_rails.hpp"
#include "tuner/energy/sysfs_files.hpp"

namespace tilewright {
namespace {

constexpr double kPerMillion = 1e-6;     // microjoules to joules, microwatts to watts
constexpr const char* kHwmon = "hwmon";  // in the names of all folders, before their numbers

// One monitoring chip.
struct HwmonChip {
  std::string folder;
  std::string name;           // "ina231", "amdgpu"; if it has none, its folder: "hwmon3"
  std::string device;         // name of its device: "0-0044", "0000:03:00.0"; "": unknown
  bool is_on_odroid = false;  // the board is an Odroid XU3
};

// What a sensor covers, if its label, or the name of its chip, contains a word.
struct KnownWord {
  std::string_view word;  // in lower case
  SensorScope scope;
  const char* covers;
};
// The first match counts.
constexpr KnownWord kKnownWords[] = {
    {"amdgpu", SensorScope::kGpu, "the GPU"},
    {"i915", SensorScope::kGpu, "the GPU"},
    {"nouveau", SensorScope::kGpu, "the GPU"},
    {"gpu", SensorScope::kGpu, "the GPU"},
    {"g3d", SensorScope::kGpu, "the GPU"},
    {"mali", SensorScope::kGpu, "the GPU"},
    {"esocket", SensorScope::kCpu, "a CPU package"},
    {"ecore", SensorScope::kPart, "a CPU core"},
    {"cpu", SensorScope::kCpu, "CPU cores"},
    {"vdd_arm", SensorScope::kCpu, "CPU cores"},
    {"vdd_kfc", SensorScope::kCpu, "CPU cores"},
    {"ddr", SensorScope::kPart, "the memory"},
    {"mem", SensorScope::kPart, "the memory"},
    {"power_meter", SensorScope::kBoard, "the whole machine"},
    {"vdd_in", SensorScope::kBoard, "the whole board"},
    {"vin", SensorScope::kBoard, "the whole board"},
    {"board", SensorScope::kBoard, "the whole board"},
    {"total", SensorScope::kBoard, "the whole board"},
    {"psys", SensorScope::kBoard, "the whole board"},
};

void set_scope(EnergySensor& sensor, const HwmonChip& chip, const std::string& label) {
  const std::string words = lower_case(label + " " + chip.name);
  const auto known = std::find_if(
      std::begin(kKnownWords), std::end(kKnownWords),
      [&](const KnownWord& each) { return words.find(each.word) != std::string::npos; });
  if (known == std::end(kKnownWords)) {
    sensor.info.covers = "an unknown part of the board";
    return;
  }
  sensor.scope = known->scope;
  sensor.info.covers = known->covers;
}

EnergySensor make_sensor(const HwmonChip& chip, const std::string& input, bool counts_energy) {
  const std::string channel = input.substr(0, input.find('_'));  // "power1"
  EnergySensor sensor;
  sensor.family = SensorFamily::kHwmon;
  sensor.info.counts_energy = counts_energy;
  std::string label = read_first_line(chip.folder + "/" + channel + "_label");
  const OdroidRail* rail = chip.is_on_odroid ? find_odroid_rail(chip.device) : nullptr;
  if (rail != nullptr) {
    label = rail->name;
    sensor.scope = rail->scope;
    sensor.info.covers = rail->covers;
  } else {
    set_scope(sensor, chip, label);
  }
  if (label.empty()) label = channel;
  sensor.info.name =
      fmt::format("{}{}{} {}", chip.name, chip.device.empty() ? "" : " ", chip.device, label);
  if (is_pci_address(chip.device)) sensor.pci_address = chip.device;
  read_from_file(sensor, chip.folder + "/" + input, kPerMillion);
  return sensor;
}

// Adds the sensors of a chip. Power is left out where the same channel counts energy.
void add_sensors(const HwmonChip& chip, std::vector<EnergySensor>& sensors) {
  std::vector<std::string> channels;  // the numbers of those that have a sensor already
  const auto add = [&](const std::string& kind, const std::string& suffix) {
    for (const std::string& file : list_names(chip.folder, kind)) {
      const std::size_t end = file.find('_');
      if (end == std::string::npos || file.substr(end) != suffix) continue;
      const std::string channel = file.substr(kind.size(), end - kind.size());
      if (std::find(channels.begin(), channels.end(), channel) != channels.end()) continue;
      channels.push_back(channel);
      sensors.push_back(make_sensor(chip, file, kind == "energy"));
    }
  };
  add("energy", "_input");
  add("power", "_input");
  add("power", "_average");
}

// Returns the name of the device that a chip belongs to; "" if it is unknown.
std::string device_name(const std::string& folder) {
  std::error_code missing;
  const auto device = std::filesystem::canonical(folder + "/device", missing);
  return missing ? "" : device.filename().string();
}

}  // namespace

std::vector<EnergySensor> find_hwmon_sensors(const std::string& sysfs) {
  const std::string root = sysfs + "/class/hwmon/";
  const bool is_on_odroid =
      read_first_line(sysfs + "/firmware/devicetree/base/compatible").find("odroid-xu3") !=
      std::string::npos;
  std::vector<EnergySensor> sensors;
  for (const std::string& entry : list_names(root, kHwmon)) {
    const std::string name = read_first_line(root + entry + "/name");
    const HwmonChip chip{root + entry, name.empty() ? entry : name, device_name(root + entry),
                         is_on_odroid};
    add_sensors(chip, sensors);
  }
  return sensors;
}

}  // namespace tilewright
