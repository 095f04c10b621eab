#include "tuner/energy/energy_sensor.hpp"

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace tilewright {

bool is_pci_address(std::string_view text) {
  return text.size() == 12 && text[4] == ':' && text[7] == ':' && text[10] == '.';
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

std::vector<EnergySensor> find_energy_sensors(const SensorPlaces& places) {
  std::vector<EnergySensor> all = find_nvml_sensors(places.nvml);
  std::vector<EnergySensor> more = find_sysfs_sensors(places.sysfs);
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return all;
}

}  // namespace tilewright
