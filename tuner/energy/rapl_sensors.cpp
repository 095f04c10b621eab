// Finds the energy counters of Intel and AMD CPUs (RAPL) under <sysfs>/class/powercap.
//
// A zone "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it. Zones of intel-rapl-mmio count
// the same packages again and are left out. See Documentation/power/powercap/powercap.rst of Linux.
#include <fmt/format.h>

#include "tuner/energy/energy_sensor.hpp"
#include "tuner/energy/sysfs_files.hpp"

namespace tilewright {
namespace {

constexpr double kJoulesPerMicrojoule = 1e-6;
// The address of Intel's integrated graphics, which the zone "uncore" covers.
constexpr const char* kIntegratedGraphics = "0000:00:02.0";

// Sets what the zone with that name covers. `package` is the name of the zone that contains it; ""
// for an outer zone.
void set_scope(EnergySensor& sensor, const std::string& zone, const std::string& package) {
  const auto set = [&](SensorScope scope, std::string covers) {
    sensor.scope = scope;
    sensor.info.covers = std::move(covers);
  };
  if (zone.starts_with("package")) return set(SensorScope::kCpu, "CPU " + zone);
  if (zone == "psys") return set(SensorScope::kBoard, "the whole machine (psys)");
  if (zone == "dram") return set(SensorScope::kPart, "memory of CPU " + package);
  if (zone == "core") return set(SensorScope::kPart, "cores of CPU " + package);
  if (zone == "uncore") {
    sensor.pci_address = kIntegratedGraphics;
    return set(SensorScope::kGpu, "integrated GPU of CPU " + package);
  }
  return set(SensorScope::kPart, package.empty() ? zone : zone + " of CPU " + package);
}

}  // namespace

std::vector<EnergySensor> find_rapl_sensors(const std::string& sysfs) {
  const std::string root = sysfs + "/class/powercap/";
  std::vector<EnergySensor> sensors;
  for (const std::string& entry : list_names(root, "intel-rapl:")) {
    const std::string zone = read_first_line(root + entry + "/name");
    if (zone.empty()) continue;
    const std::size_t colon = entry.rfind(':');
    const bool is_inner = entry.find(':') != colon;
    const std::string package =
        is_inner ? read_first_line(root + entry.substr(0, colon) + "/name") : "";
    EnergySensor sensor;
    sensor.family = SensorFamily::kRapl;
    sensor.info.name = fmt::format("rapl {}{}{}", package, is_inner ? "/" : "", zone);
    sensor.info.counts_energy = true;
    set_scope(sensor, zone, package);
    read_from_file(sensor, root + entry + "/energy_uj", kJoulesPerMicrojoule);
    const SensorReading range =
        read_scaled_number(root + entry + "/max_energy_range_uj", kJoulesPerMicrojoule);
    if (const auto* joules = std::get_if<double>(&range)) sensor.wraps_at_j = *joules;
    sensors.push_back(std::move(sensor));
  }
  return sensors;
}

}  // namespace tilewright
