// Finds INA231 sensors with the driver of the vendor's kernels for Odroid boards, which shows them
// under <sysfs>/bus/i2c/drivers/INA231. They are switched off until someone writes 1 to `enable`.
#include <fmt/format.h>

#include "tuner/energy/energy_sensor.hpp"
#include "tuner/energy/odroid_rails.hpp"
#include "tuner/energy/sysfs_files.hpp"

namespace tilewright {

std::vector<EnergySensor> find_ina231_sensors(const std::string& sysfs) {
  const std::string root = sysfs + "/bus/i2c/drivers/INA231/";
  std::vector<EnergySensor> sensors;
  for (const std::string& device : list_names(root, "")) {
    const OdroidRail* rail = find_odroid_rail(device);
    if (rail == nullptr) continue;
    EnergySensor sensor;
    sensor.family = SensorFamily::kIna231;
    sensor.scope = rail->scope;
    sensor.info.name = fmt::format("ina231 {} {}", device, rail->name);
    sensor.info.covers = rail->covers;
    read_from_file(sensor, root + device + "/sensor_W", 1.0);
    const std::string enable = root + device + "/enable";
    if (read_first_line(enable) == "0") {
      sensor.info.unreadable =
          fmt::format("the sensor is switched off; switch it on: echo 1 | sudo tee {}", enable);
    }
    sensors.push_back(std::move(sensor));
  }
  return sensors;
}

}  // namespace tilewright
