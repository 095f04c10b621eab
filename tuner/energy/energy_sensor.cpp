#include "tuner/energy/energy_sensor.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace tilewright {

bool is_pci_address(std::string_view text) {
  return text.size() == 12 && text[4] == ':' && text[7] == ':' && text[10] == '.';
}

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Returns the chip or the device in a sensor's name without numbers that equal machines may count
// differently. For example, "4-0044" (a device on an I2C bus) becomes "0044", "hwmon3" becomes
// "hwmon", and a PCI address becomes "".
std::string without_bus_number(const std::string& word) {
  if (is_pci_address(word)) return "";
  constexpr std::size_t kAddressDigits = 4;
  const std::size_t dash = word.find('-');
  if (dash != word.npos && is_number(word.substr(0, dash)) &&
      word.size() - dash - 1 == kAddressDigits &&
      word.find_first_not_of("0123456789abcdef", dash + 1) == word.npos) {
    return word.substr(dash + 1);
  }
  constexpr std::string_view kHwmon = "hwmon";
  const bool is_hwmon = word.starts_with(kHwmon) && is_number(word.substr(kHwmon.size()));
  return is_hwmon ? std::string(kHwmon) : word;
}

}  // namespace

std::string sensor_identity(const SensorInfo& sensor) {
  constexpr int kLabel = 2;  // index of the first word that may belong to a label
  std::istringstream words(sensor.name);
  std::string kind;
  std::string word;
  for (int i = 0; words >> word && kind != kNvmlName; ++i) {
    if (i < kLabel) word = without_bus_number(word);
    if (!word.empty()) kind += (kind.empty() ? "" : " ") + word;
  }
  return fmt::format("{} ({})", sensor.covers, kind);
}

void to_json(nlohmann::json& json, const SensorInfo& sensor) {
  json = {{"name", sensor.name},
          {"covers", sensor.covers},
          {"source", sensor.source},
          {"counts_energy", sensor.counts_energy},
          {"unreadable", sensor.unreadable}};
}

void from_json(const nlohmann::json& json, SensorInfo& sensor) {
  json.at("name").get_to(sensor.name);
  json.at("covers").get_to(sensor.covers);
  json.at("source").get_to(sensor.source);
  json.at("counts_energy").get_to(sensor.counts_energy);
  json.at("unreadable").get_to(sensor.unreadable);
}

std::vector<EnergySensor> find_sysfs_sensors(const std::string& sysfs) {
  std::vector<EnergySensor> all = find_rapl_sensors(sysfs);
  for (auto* find : {find_hwmon_sensors, find_ina231_sensors}) {
    std::vector<EnergySensor> more = find(sysfs);
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  }
  return all;
}

std::vector<EnergySensor> find_energy_sensors(const SensorPlaces& places) {
  std::vector<EnergySensor> all = find_nvml_sensors(places.nvml);
  std::vector<EnergySensor> more = find_sysfs_sensors(places.sysfs);
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return all;
}

}  // namespace tilewright
