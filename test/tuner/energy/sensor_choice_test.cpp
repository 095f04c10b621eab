// Tests which sensors are chosen for a device.
#include "tuner/energy/sensor_choice.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

EnergySensor sensor(const std::string& name, SensorFamily family, SensorScope scope,
                    const std::string& pci_address = "") {
  EnergySensor sensor;
  sensor.info.name = name;
  sensor.info.covers = "a part";
  sensor.family = family;
  sensor.scope = scope;
  sensor.pci_address = pci_address;
  return sensor;
}

std::vector<std::string> names(const SensorChoice& choice) {
  std::vector<std::string> all;
  for (const EnergySensor& each : choice.sensors) all.push_back(each.info.name);
  return all;
}

using Names = std::vector<std::string>;

const EnergySensor kPackage0 = sensor("rapl 0", SensorFamily::kRapl, SensorScope::kCpu);
const EnergySensor kPackage1 = sensor("rapl 1", SensorFamily::kRapl, SensorScope::kCpu);
const EnergySensor kUncore =
    sensor("rapl 0/uncore", SensorFamily::kRapl, SensorScope::kGpu, "0000:00:02.0");
const EnergySensor kCard = sensor("nvml a", SensorFamily::kNvml, SensorScope::kGpu, "0000:65:00.0");
const EnergySensor kOtherCard =
    sensor("nvml b", SensorFamily::kNvml, SensorScope::kGpu, "0000:66:00.0");
const EnergySensor kSocket = sensor("hwmon socket", SensorFamily::kHwmon, SensorScope::kCpu);
const EnergySensor kRail = sensor("ina231 G3D", SensorFamily::kIna231, SensorScope::kGpu);
const EnergySensor kMemory = sensor("ina231 MEM", SensorFamily::kIna231, SensorScope::kPart);
const EnergySensor kBoard = sensor("psys", SensorFamily::kRapl, SensorScope::kBoard);

TEST_CASE("a GPU is metered by the sensor with its PCI address") {
  const MeteredDevice gpu{DeviceKind::kGpu, "GPU", "0000:66:00.0"};
  const std::vector<EnergySensor> all = {kCard, kOtherCard, kPackage0, kUncore, kBoard};
  CHECK(names(choose_sensors(all, gpu)) == Names{"nvml b"});
  CHECK(names(choose_sensors(all, {DeviceKind::kGpu, "iGPU", "0000:00:02.0"})) ==
        Names{"rapl 0/uncore"});
}

TEST_CASE("a GPU without a PCI address is metered by the only card with its name") {
  EnergySensor named = kCard;
  named.device_name = "GPU";
  EnergySensor twin = kOtherCard;
  const MeteredDevice gpu{DeviceKind::kGpu, "GPU", ""};
  CHECK(names(choose_sensors({named, twin}, gpu)) == Names{"nvml a"});
  twin.device_name = "GPU";
  CHECK_THAT(choose_sensors({named, twin}, gpu).missing, ContainsSubstring("no energy sensor"));
}

TEST_CASE("the GPU of a board is metered by its rail, else by the board") {
  const MeteredDevice gpu{DeviceKind::kGpu, "Mali-T628", ""};
  CHECK(names(choose_sensors({kMemory, kRail, kBoard}, gpu)) == Names{"ina231 G3D"});
  CHECK(names(choose_sensors({kMemory, kBoard}, gpu)) == Names{"psys"});
}

TEST_CASE("a CPU is metered by all of its packages") {
  const MeteredDevice cpu{DeviceKind::kCpu, "pocl", ""};
  CHECK(names(choose_sensors({kSocket, kPackage0, kPackage1, kBoard}, cpu)) ==
        Names{"rapl 0", "rapl 1"});
  CHECK(names(choose_sensors({kRail, kSocket, kBoard}, cpu)) == Names{"hwmon socket"});
}

TEST_CASE("sensors that can be read are preferred, and otherwise the reason is given") {
  const MeteredDevice cpu{DeviceKind::kCpu, "pocl", ""};
  EnergySensor locked = kPackage1;
  locked.info.unreadable = "run as root";
  CHECK(names(choose_sensors({kPackage0, locked, kSocket}, cpu)) == Names{"hwmon socket"});
  const SensorChoice none = choose_sensors({kPackage0, locked}, cpu);
  CHECK(none.sensors.empty());
  CHECK_THAT(none.missing, ContainsSubstring("rapl 1 (a part)"));
}

TEST_CASE("a device without sensors gets a sentence") {
  const SensorChoice none = choose_sensors({kMemory}, {DeviceKind::kGpu, "Mali-G610", ""});
  CHECK(none.sensors.empty());
  CHECK_THAT(none.missing, ContainsSubstring("no energy sensor"));
}

TEST_CASE("a package can be chosen without its zones, but not together with them") {
  const MeteredDevice cpu{DeviceKind::kCpu, "pocl", ""};
  std::vector<EnergySensor> all;
  for (const char* name : {"rapl package-0", "rapl package-0/core", "rapl package-0/uncore",
                           "rapl package-0/dram", "rapl package-1", "rapl package-10"}) {
    all.push_back(sensor(name, SensorFamily::kRapl, SensorScope::kPart));
  }
  CHECK(names(choose_sensors(all, cpu, {"Package-0"})) == Names{"rapl package-0"});
  CHECK(names(choose_sensors(all, cpu, {"package-1"})) == Names{"rapl package-1"});
  CHECK(names(choose_sensors(all, cpu, {"package-0", "dram"})) ==
        Names{"rapl package-0", "rapl package-0/dram"});
  CHECK(names(choose_sensors(all, cpu, {"package-0/core"})) == Names{"rapl package-0/core"});
  CHECK(names(choose_sensors(all, cpu, {"core"})) == Names{"rapl package-0/core"});
  const SensorChoice twice = choose_sensors(all, cpu, {"package-0", "core"});
  CHECK(twice.sensors.empty());
  CHECK_THAT(twice.missing, ContainsSubstring("counts it twice"));
}

TEST_CASE("a part of the board is not added to the whole board") {
  const MeteredDevice gpu{DeviceKind::kGpu, "Mali-T628", ""};
  const std::vector<EnergySensor> all = {kMemory, kRail, kBoard};
  const SensorChoice twice = choose_sensors(all, gpu, {"psys", "g3d"});
  CHECK(twice.sensors.empty());
  CHECK_THAT(twice.missing, ContainsSubstring("ina231 G3D is contained in"));
  // Each of several power supplies may have a sensor of its own.
  const EnergySensor supply = sensor("corsair total", SensorFamily::kHwmon, SensorScope::kBoard);
  const EnergySensor other = sensor("other total", SensorFamily::kHwmon, SensorScope::kBoard);
  CHECK(choose_sensors({supply, other}, gpu, {"total"}).sensors.size() == 2);
}

TEST_CASE("sensors can be chosen by parts of their names") {
  const MeteredDevice gpu{DeviceKind::kGpu, "Mali-T628", ""};
  const std::vector<EnergySensor> all = {kMemory, kRail, kBoard};
  CHECK(names(choose_sensors(all, gpu, {"g3d", "mem"})) == Names{"ina231 MEM", "ina231 G3D"});
  CHECK_THAT(choose_sensors(all, gpu, {"g3d", "arm"}).missing, ContainsSubstring("'arm'"));
  EnergySensor off = kRail;
  off.info.unreadable = "switched off";
  const SensorChoice none = choose_sensors({off}, gpu, {"g3d"});
  CHECK(none.sensors.empty());
  CHECK_THAT(none.missing, ContainsSubstring("switched off"));
}

}  // namespace
}  // namespace tilewright
