// Tests of the sensors in sysfs: RAPL, hwmon and the INA231 sensors of Odroid boards.
#include <sys/stat.h>
#include <unistd.h>

#include "catch.hpp"
#include "made_up_sensors.hpp"
#include "tuner/energy/energy_meter.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// Root may read every file, so these tests become another user.
class WithoutRoot {
 public:
  WithoutRoot() : was_root_(::geteuid() == 0) { is_set_ = !was_root_ || ::seteuid(65534) == 0; }
  ~WithoutRoot() {
    if (was_root_) is_set_ = ::seteuid(0) == 0;
  }
  WithoutRoot(const WithoutRoot&) = delete;
  WithoutRoot& operator=(const WithoutRoot&) = delete;
  bool is_set() const { return is_set_; }

 private:
  bool was_root_;
  bool is_set_ = false;
};

// Adds a chip of hwmon. `device`: its device in sysfs; "": unknown.
void add_chip(MadeUpSensors& machine, int number, const std::string& name,
              const std::string& device, const std::string& label) {
  const std::string chip = "class/hwmon/hwmon" + std::to_string(number);
  machine.write(chip + "/power1_input", "500000\n");
  if (!name.empty()) machine.write(chip + "/name", name + "\n");
  if (!label.empty()) machine.write(chip + "/power1_label", label + "\n");
  if (device.empty()) return;
  machine.write("devices/" + device + "/uevent", "")
      .link(chip + "/device", "../../../devices/" + device);
}

std::vector<std::string> names(const MadeUpSensors& machine) {
  std::vector<std::string> all;
  for (const EnergySensor& sensor : find_sysfs_sensors(machine.sysfs())) {
    all.push_back(sensor.info.name);
  }
  return all;
}

TEST_CASE("sensors of the same part have different names") {
  MadeUpSensors machine;
  machine.zone("intel-rapl:0", "package-0", "1500000")
      .write("bus/i2c/drivers/INA231/4-0044/sensor_W", "0.250000\n");
  add_chip(machine, 0, "amdgpu", "pci0000:00/0000:03:00.0", "PPT");
  add_chip(machine, 1, "ina3221", "i2c-12/12-0040", "");
  add_chip(machine, 2, "ina231", "i2c-4/4-0044", "gpu 3-1200");
  add_chip(machine, 3, "", "", "");
  CHECK(names(machine) == std::vector<std::string>{"rapl package-0", "amdgpu 0000:03:00.0 PPT",
                                                   "ina3221 12-0040 power1",
                                                   "ina231 4-0044 gpu 3-1200", "hwmon3 power1",
                                                   "ina231 4-0044 VDD_G3D"});
}

TEST_CASE("RAPL: packages, their parts and the whole machine") {
  MadeUpSensors machine;
  machine.zone("intel-rapl:0", "package-0", "1500000")
      .zone("intel-rapl:0:0", "core", "10")
      .zone("intel-rapl:0:1", "uncore", "20")
      .zone("intel-rapl:0:2", "dram", "30")
      .zone("intel-rapl:1", "psys", "40")
      .zone("intel-rapl-mmio:0", "package-0", "50")
      .write("class/powercap/intel-rapl/enabled", "1\n");
  const auto sensors = find_rapl_sensors(machine.sysfs());
  REQUIRE(sensors.size() == 5);
  const EnergySensor* package = find_sensor(sensors, "rapl package-0");
  REQUIRE(package != nullptr);
  CHECK(package->scope == SensorScope::kCpu);
  CHECK(package->info.covers == "CPU package-0");
  CHECK(package->info.counts_energy);
  CHECK(package->info.unreadable.empty());
  CHECK(package->wraps_at_j == Approx(262143.32885));
  CHECK(std::get<double>(package->read()) == Approx(1.5));
  CHECK(find_sensor(sensors, "rapl package-0/core")->scope == SensorScope::kPart);
  CHECK(find_sensor(sensors, "rapl package-0/dram")->info.covers == "memory of CPU package-0");
  CHECK(find_sensor(sensors, "rapl package-0/uncore")->scope == SensorScope::kGpu);
  CHECK(find_sensor(sensors, "rapl psys")->scope == SensorScope::kBoard);
}

TEST_CASE("RAPL: what the user may not read is reported with the command that permits it") {
  MadeUpSensors machine;
  machine.zone("intel-rapl:0", "package-0", "1500000");
  const std::string file = machine.sysfs() + "/class/powercap/intel-rapl:0/energy_uj";
  ::chmod(file.c_str(), 0000);
  ::chmod(std::filesystem::path(machine.sysfs()).parent_path().c_str(), 0755);
  const WithoutRoot user;
  if (!user.is_set()) SKIP_CASE("the process cannot become another user");
  const auto sensors = find_rapl_sensors(machine.sysfs());
  REQUIRE(sensors.size() == 1);
  CHECK_THAT(sensors[0].info.unreadable,
             ContainsSubstring(file + " cannot be opened: Permission denied") &&
                 ContainsSubstring("run as root, or: sudo chmod a+r " + file));
}

TEST_CASE("a counter that restarts at 0 is continued") {
  MadeUpSensors machine;
  machine.zone("intel-rapl:0", "package-0", "9000000", "10000000");
  EnergyMeter meter(find_rapl_sensors(machine.sysfs()));
  CHECK(std::get<double>(meter.joules()) == 0.0);
  machine.write("class/powercap/intel-rapl:0/energy_uj", "9500000\n");
  CHECK(std::get<double>(meter.joules()) == Approx(0.5));
  machine.write("class/powercap/intel-rapl:0/energy_uj", "250000\n");
  CHECK(std::get<double>(meter.joules()) == Approx(1.25));
}

TEST_CASE("a counter that goes backwards without a range is a failure") {
  MadeUpSensors machine;
  machine.zone("intel-rapl:0", "package-0", "9000000")
      .remove("class/powercap/intel-rapl:0/max_energy_range_uj");
  EnergyMeter meter(find_rapl_sensors(machine.sysfs()));
  machine.write("class/powercap/intel-rapl:0/energy_uj", "1000000\n");
  CHECK_THAT(std::get<std::string>(meter.joules()), ContainsSubstring("went backwards"));
}

TEST_CASE("a sensor that disappears is a failure from then on") {
  MadeUpSensors machine;
  machine.zone("intel-rapl:0", "package-0", "9000000");
  EnergyMeter meter(find_rapl_sensors(machine.sysfs()));
  machine.remove("class/powercap/intel-rapl:0/energy_uj");
  CHECK_THAT(std::get<std::string>(meter.joules()),
             ContainsSubstring("rapl package-0") && ContainsSubstring("No such file"));
  machine.zone("intel-rapl:0", "package-0", "9000000");
  CHECK(std::holds_alternative<std::string>(meter.joules()));
}

TEST_CASE("hwmon: power and energy, by label and chip") {
  MadeUpSensors machine;
  machine.write("class/hwmon/hwmon0/name", "amdgpu\n")
      .write("class/hwmon/hwmon0/power1_average", "25000000\n")
      .write("class/hwmon/hwmon0/power1_label", "PPT\n")
      .write("devices/pci0000:00/0000:03:00.0/vendor", "0x1002\n")
      .link("class/hwmon/hwmon0/device", "../../../devices/pci0000:00/0000:03:00.0")
      .write("class/hwmon/hwmon1/name", "amd_energy\n")
      .write("class/hwmon/hwmon1/energy1_input", "7000000\n")
      .write("class/hwmon/hwmon1/energy1_label", "Ecore000\n")
      .write("class/hwmon/hwmon1/energy2_input", "8000000\n")
      .write("class/hwmon/hwmon1/energy2_label", "Esocket0\n")
      .write("class/hwmon/hwmon2/name", "ina238\n")
      .write("class/hwmon/hwmon2/energy1_input", "3000000\n")
      .write("class/hwmon/hwmon2/power1_input", "2000000\n")
      .write("class/hwmon/hwmon2/power2_input", "broken\n")
      .write("class/hwmon/hwmon2/power2_label", "VDD_IN\n")
      .write("class/hwmon/hwmon3/name", "coretemp\n")
      .write("class/hwmon/hwmon3/temp1_input", "45000\n");
  const auto sensors = find_hwmon_sensors(machine.sysfs());
  CHECK(sensors.size() == 5);
  const EnergySensor* gpu = find_sensor(sensors, "amdgpu 0000:03:00.0 PPT");
  REQUIRE(gpu != nullptr);
  CHECK(gpu->scope == SensorScope::kGpu);
  CHECK(gpu->pci_address == "0000:03:00.0");
  CHECK_FALSE(gpu->info.counts_energy);
  CHECK(std::get<double>(gpu->read()) == Approx(25.0));
  CHECK(find_sensor(sensors, "amd_energy Ecore000")->scope == SensorScope::kPart);
  CHECK(find_sensor(sensors, "amd_energy Esocket0")->scope == SensorScope::kCpu);
  const EnergySensor* energy = find_sensor(sensors, "ina238 energy1");
  REQUIRE(energy != nullptr);
  CHECK(energy->info.counts_energy);
  CHECK(energy->info.covers == "an unknown part of the board");
  const EnergySensor* board = find_sensor(sensors, "ina238 VDD_IN");
  REQUIRE(board != nullptr);
  CHECK(board->scope == SensorScope::kBoard);
  CHECK_THAT(board->info.unreadable, ContainsSubstring("power2_input"));
}

TEST_CASE("hwmon: the rails of an Odroid XU3 are known by address") {
  MadeUpSensors machine;
  machine.write("firmware/devicetree/base/compatible",
                std::string("hardkernel,odroid-xu3\0samsung,exynos5800\0", 41));
  int number = 0;
  for (const char* device : {"0-0040", "0-0041", "0-0044", "0-0045"}) {
    const std::string chip = "class/hwmon/hwmon" + std::to_string(number++);
    machine.write(chip + "/name", "ina231\n")
        .write(chip + "/power1_input", "500000\n")
        .write(std::string("devices/i2c-0/") + device + "/name", "ina231\n")
        .link(chip + "/device", std::string("../../../devices/i2c-0/") + device);
  }
  const auto sensors = find_hwmon_sensors(machine.sysfs());
  REQUIRE(sensors.size() == 4);
  CHECK(find_sensor(sensors, "ina231 0-0040 VDD_ARM")->scope == SensorScope::kCpu);
  CHECK(find_sensor(sensors, "ina231 0-0041 VDD_MEM")->scope == SensorScope::kPart);
  CHECK(find_sensor(sensors, "ina231 0-0044 VDD_G3D")->info.covers == "the GPU");
  CHECK(find_sensor(sensors, "ina231 0-0045 VDD_KFC")->scope == SensorScope::kCpu);
  machine.remove("firmware");
  CHECK(find_sensor(find_hwmon_sensors(machine.sysfs()), "ina231 0-0044 power1")->scope ==
        SensorScope::kPart);
}

TEST_CASE("INA231 sensors of the vendor's kernel must be switched on") {
  MadeUpSensors machine;
  const std::string driver = "bus/i2c/drivers/INA231/";
  machine.write(driver + "bind", "")
      .write(driver + "4-0044/sensor_W", "0.250000\n")
      .write(driver + "4-0044/enable", "1\n")
      .write(driver + "4-0040/sensor_W", "0.0\n")
      .write(driver + "4-0040/enable", "0\n");
  const auto sensors = find_ina231_sensors(machine.sysfs());
  REQUIRE(sensors.size() == 2);
  const EnergySensor* gpu = find_sensor(sensors, "ina231 4-0044 VDD_G3D");
  REQUIRE(gpu != nullptr);
  CHECK(gpu->info.unreadable.empty());
  CHECK(std::get<double>(gpu->read()) == Approx(0.25));
  const EnergySensor* cores = find_sensor(sensors, "ina231 4-0040 VDD_ARM");
  REQUIRE(cores != nullptr);
  CHECK_THAT(cores->info.unreadable,
             ContainsSubstring("switched off") &&
                 ContainsSubstring("echo 1 | sudo tee " + machine.sysfs() + "/" + driver));
}

TEST_CASE("a machine without sensors has none") {
  MadeUpSensors machine;
  CHECK(find_sysfs_sensors(machine.sysfs()).empty());
  CHECK(find_energy_sensors({machine.sysfs(), ""}).empty());
}

}  // namespace
}  // namespace tilewright
