// Finds the energy sensors of an OpenCL device.
#pragma once

#include <string>
#include <vector>

#include "tuner/energy/sensor_choice.hpp"
#include "tuner/measure/device/device_choice.hpp"

namespace tilewright {

// Returns where this process looks for sensors: the usual places, unless one of the variables for
// tests is set: TILEWRIGHT_SYSFS, a folder in place of /sys, and TILEWRIGHT_NVML, a library in
// place of libnvidia-ml.so.1.
SensorPlaces sensor_places();

// Chooses sensors for the device (choose_sensors()) among those of this machine.
SensorChoice find_device_sensors(const ListedDevice& listed,
                                 const std::vector<std::string>& names = {});

}  // namespace tilewright
