#include "tuner/measure/device/device_sensors.hpp"

#include "runtime/device/device_identity.hpp"
#include "runtime/device/environment.hpp"
#include "tuner/measure/device/pci_address.hpp"

namespace tilewright {

SensorPlaces sensor_places() {
  SensorPlaces places;
  const std::string sysfs = environment("TILEWRIGHT_SYSFS");
  const std::string nvml = environment("TILEWRIGHT_NVML");
  if (!sysfs.empty()) places.sysfs = sysfs;
  if (!nvml.empty()) places.nvml = nvml;
  return places;
}

SensorChoice find_device_sensors(const ListedDevice& listed,
                                 const std::vector<std::string>& names) {
  return choose_sensors(
      find_energy_sensors(sensor_places()),
      {device_kind(listed.device), listed.identity.name, pci_address(listed.device)}, names);
}

}  // namespace tilewright
