// Describes a sensor of power or energy, and finds all sensors of a machine.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright {

// The part of a machine that a sensor covers.
enum class SensorScope {
  kGpu,    // a GPU; for a graphics card, the whole card
  kCpu,    // a CPU package, or a cluster of CPU cores
  kPart,   // another part, for example the memory, or the cores without the rest of their package
  kBoard,  // the whole board or machine
};

// How sensors are read.
enum class SensorFamily { kNvml, kRapl, kHwmon, kIna231 };

// What people read about a sensor.
struct SensorInfo {
  std::string name;            // unique on the machine: "rapl package-0"
  std::string covers;          // "CPU package 0", "GPU card NVIDIA H100 with its memory"
  std::string source;          // the file or the library that is read
  bool counts_energy = false;  // true: an energy counter; false: power, which must be sampled
  // A sentence that says why it cannot be read and what to do; "": it can be read.
  std::string unreadable = {};
  bool operator==(const SensorInfo&) const = default;
};
// Returns true for "0000:03:00.0".
bool is_pci_address(std::string_view text);
void to_json(nlohmann::json& json, const SensorInfo& sensor);
void from_json(const nlohmann::json& json, SensorInfo& sensor);

// The value of a sensor, or a sentence that says why it cannot be read.
using SensorReading = std::variant<double, std::string>;

struct EnergySensor {
  SensorInfo info;
  SensorFamily family = SensorFamily::kHwmon;
  SensorScope scope = SensorScope::kPart;
  std::string pci_address = {};  // of the device that it covers: "0000:65:00.0"; "": unknown
  std::string device_name = {};  // of the GPU that it covers, as its driver names it; "": unknown
  // An energy counter restarts at 0 when it would reach this many joules; 0: never.
  double wraps_at_j = 0.0;
  // Returns joules since an unknown start if the sensor counts energy, otherwise watts. Not
  // thread-safe.
  std::function<SensorReading()> read = {};
};

// Where sensors are looked for. Tests use other places.
struct SensorPlaces {
  std::string sysfs = "/sys";
  std::string nvml = "libnvidia-ml.so.1";  // argument of dlopen(); "": none
};

// Each of these functions returns the sensors of one family; none if the machine has none. Sensors
// that exist but cannot be read are returned, too.
std::vector<EnergySensor> find_hwmon_sensors(const std::string& sysfs);
// INA231 sensors with the driver of the vendor's kernels for Odroid boards.
std::vector<EnergySensor> find_ina231_sensors(const std::string& sysfs);
// Energy counters of Intel and AMD CPUs.
std::vector<EnergySensor> find_rapl_sensors(const std::string& sysfs);
// Loads NVML, which NVIDIA's driver installs.
std::vector<EnergySensor> find_nvml_sensors(const std::string& library);

// Returns the sensors in sysfs. Loads no library.
std::vector<EnergySensor> find_sysfs_sensors(const std::string& sysfs);
// Returns all sensors.
std::vector<EnergySensor> find_energy_sensors(const SensorPlaces& places);

}  // namespace tilewright
