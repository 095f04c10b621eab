// Chooses the sensors that cover a device.
#pragma once

#include <string>
#include <vector>

#include "profiles/device_info.hpp"
#include "tuner/energy/energy_sensor.hpp"

namespace tilewright {

// The device whose energy is to be measured.
struct MeteredDevice {
  DeviceKind kind = DeviceKind::kOther;
  std::string name;         // as its OpenCL driver names it
  std::string pci_address;  // "0000:65:00.0"; "": unknown
};

// The sensors whose energy is added up, or why there are none.
struct SensorChoice {
  std::vector<EnergySensor> sensors;
  std::string missing;  // a sentence, with what to do about it; "": there are sensors
};

// Chooses among all sensors of the machine:
// - GPU: the sensor of the card with its PCI address; else the only one of a GPU with its name;
//   else those that cover a GPU without a PCI address;
//   else one of the whole board.
// - CPU: all CPU packages (RAPL); else those that cover a CPU; else one of the whole board.
// - Other devices: one of the whole board.
// Sensors that can be read are preferred to others. If `names` is not empty, other sensors are
// chosen: for each of the names the one that has it or ends with it as a word;
// if there is none, those whose names contain it. Case is ignored. A zone of RAPL is not added to
// the package that contains it, and no part to the whole board.
SensorChoice choose_sensors(const std::vector<EnergySensor>& all, const MeteredDevice& device,
                            const std::vector<std::string>& names = {});

}  // namespace tilewright
