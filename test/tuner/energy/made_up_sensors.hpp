// Creates artificial folders with sensors in place of /sys.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "made_up_board.hpp"
#include "tuner/energy/energy_sensor.hpp"

namespace tilewright {

class MadeUpSensors {
 public:
  std::string sysfs() const { return board_.root() + "/sys"; }
  MadeUpSensors& write(const std::string& file, const std::string& text) {
    board_.write("/sys/" + file, text);
    return *this;
  }
  MadeUpSensors& link(const std::string& file, const std::string& target) {
    board_.link("/sys/" + file, target);
    return *this;
  }
  MadeUpSensors& remove(const std::string& file) {
    board_.remove("/sys/" + file);
    return *this;
  }
  // Adds a zone of RAPL, for example "intel-rapl:0:1" with the name "dram".
  MadeUpSensors& zone(const std::string& zone, const std::string& name, const std::string& energy,
                      const std::string& range = "262143328850") {
    const std::string folder = "class/powercap/" + zone + "/";
    return write(folder + "name", name + "\n")
        .write(folder + "energy_uj", energy + "\n")
        .write(folder + "max_energy_range_uj", range + "\n");
  }

 private:
  MadeUpBoard board_;
};

// Returns the sensor with that name; null if there is none.
inline const EnergySensor* find_sensor(const std::vector<EnergySensor>& sensors,
                                       const std::string& name) {
  const auto found = std::find_if(sensors.begin(), sensors.end(), [&](const EnergySensor& sensor) {
    return sensor.info.name == name;
  });
  return found == sensors.end() ? nullptr : &*found;
}

}  // namespace tilewright
