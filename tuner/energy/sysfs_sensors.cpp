// Finds the sensors of power and energy in sysfs: RAPL, hwmon, and INA231 on Odroid boards.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "profiles/base/read_file.hpp"
#include "tuner/energy/energy_sensor.hpp"
#include "tuner/energy/lower_case.hpp"

namespace tilewright {
namespace {

constexpr std::uint64_t kMaxBytes = 4096;  // upper bound for the size of a sysfs file

// Returns the number at the start of a file, multiplied by `scale`, or a sentence that names the
// file, says why there is none, and what to do if the user may not read it.
SensorReading read_scaled_number(const std::string& file, double scale) {
  const FileContent content = read_file(file, {0, kMaxBytes});
  if (!content.failure.empty()) {
    std::error_code ignored;
    const bool is_forbidden = !content.can_be_opened && std::filesystem::exists(file, ignored);
    return fmt::format("{} {}{}", file, content.failure,
                       is_forbidden ? "; run as root, or: sudo chmod a+r " + file : "");
  }
  char* end = nullptr;
  const double number = std::strtod(content.bytes.c_str(), &end);
  if (end == content.bytes.c_str() || !std::isfinite(number) || number < 0.0) {
    return fmt::format("{} does not contain a number", file);
  }
  return scale * number;
}

// Returns the first line of a file, or of a text of a device tree, without white space at its end;
// "" if there is none.
std::string read_first_line(const std::string& file) {
  std::string text = read_file(file, {0, kMaxBytes}).bytes;
  text.resize(std::min(text.find_first_of(std::string("\n\0", 2)), text.size()));
  text.resize(text.find_last_not_of(" \t\r") + 1);
  return text;
}

// Returns the sorted names of the entries of a folder that start with `prefix`; none if there is no
// such folder.
std::vector<std::string> list_names(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> names;
  std::error_code gone;
  std::filesystem::directory_iterator entry(folder, gone);
  for (; !gone && entry != std::filesystem::directory_iterator(); entry.increment(gone)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Fills in whether the sensor can be read, by reading it once. `file` is the file that it reads,
// and `scale` converts its number to joules or watts.
void read_from_file(EnergySensor& sensor, const std::string& file, double scale) {
  sensor.info.source = file;
  sensor.read = [file, scale] { return read_scaled_number(file, scale); };
  const SensorReading first = sensor.read();
  if (const auto* failure = std::get_if<std::string>(&first)) sensor.info.unreadable = *failure;
}

// A supply rail of the Odroid XU3 and XU+E that an INA231 sensor measures.
struct OdroidRail {
  std::string_view address;  // how the name of the I2C device ends
  const char* name;
  SensorScope scope;
  const char* covers;
};

// exynos5422-odroidxu3.dts of Linux; the vendor's kernels use the same addresses.
constexpr OdroidRail kOdroidRails[] = {
    {"-0040", "VDD_ARM", SensorScope::kCpu, "the Cortex-A15 cores"},
    {"-0041", "VDD_MEM", SensorScope::kPart, "the memory"},
    {"-0044", "VDD_G3D", SensorScope::kGpu, "the GPU"},
    {"-0045", "VDD_KFC", SensorScope::kCpu, "the Cortex-A7 cores"},
};

// Returns the rail that the I2C device with a name such as "0-0044" measures; null if none.
const OdroidRail* find_odroid_rail(std::string_view i2c_device) {
  for (const OdroidRail& rail : kOdroidRails) {
    if (i2c_device.ends_with(rail.address)) return &rail;
  }
  return nullptr;
}

// Sensors of power and energy under <sysfs>/class/hwmon.
//
// Files: energyN_input in microjoules, powerN_input or powerN_average in microwatts, and
// energyN_label or powerN_label (Documentation/hwmon/sysfs-interface.rst of Linux).

constexpr double kPerMillion = 1e-6;     // microjoules to joules, microwatts to watts
constexpr const char* kHwmon = "hwmon";  // in the names of all folders, before their numbers

// One monitoring chip.
struct HwmonChip {
  std::string folder;
  std::string name;           // "ina231", "amdgpu"; if it has none, its folder: "hwmon3"
  std::string device;         // name of its device: "0-0044", "0000:03:00.0"; "": unknown
  bool is_on_odroid = false;  // the board is an Odroid XU3
};

// What a sensor covers, if its label, or the name of its chip, contains a word.
struct KnownWord {
  std::string_view word;  // in lower case
  SensorScope scope;
  const char* covers;
};
// The first match counts.
constexpr KnownWord kKnownWords[] = {
    {"amdgpu", SensorScope::kGpu, "the GPU"},
    {"i915", SensorScope::kGpu, "the GPU"},
    {"nouveau", SensorScope::kGpu, "the GPU"},
    {"gpu", SensorScope::kGpu, "the GPU"},
    {"g3d", SensorScope::kGpu, "the GPU"},
    {"mali", SensorScope::kGpu, "the GPU"},
    {"esocket", SensorScope::kCpu, "a CPU package"},
    {"ecore", SensorScope::kPart, "a CPU core"},
    {"cpu", SensorScope::kCpu, "CPU cores"},
    {"vdd_arm", SensorScope::kCpu, "CPU cores"},
    {"vdd_kfc", SensorScope::kCpu, "CPU cores"},
    {"ddr", SensorScope::kPart, "the memory"},
    {"mem", SensorScope::kPart, "the memory"},
    {"power_meter", SensorScope::kBoard, "the whole machine"},
    {"vdd_in", SensorScope::kBoard, "the whole board"},
    {"vin", SensorScope::kBoard, "the whole board"},
    {"board", SensorScope::kBoard, "the whole board"},
    {"total", SensorScope::kBoard, "the whole board"},
    {"psys", SensorScope::kBoard, "the whole board"},
};

void set_scope(EnergySensor& sensor, const HwmonChip& chip, const std::string& label) {
  const std::string words = lower_case(label + " " + chip.name);
  const auto known = std::find_if(
      std::begin(kKnownWords), std::end(kKnownWords),
      [&](const KnownWord& each) { return words.find(each.word) != std::string::npos; });
  if (known == std::end(kKnownWords)) {
    sensor.info.covers = "an unknown part of the board";
    return;
  }
  sensor.scope = known->scope;
  sensor.info.covers = known->covers;
}

EnergySensor make_sensor(const HwmonChip& chip, const std::string& input, bool counts_energy) {
  const std::string channel = input.substr(0, input.find('_'));  // "power1"
  EnergySensor sensor;
  sensor.family = SensorFamily::kHwmon;
  sensor.info.counts_energy = counts_energy;
  std::string label = read_first_line(chip.folder + "/" + channel + "_label");
  const OdroidRail* rail = chip.is_on_odroid ? find_odroid_rail(chip.device) : nullptr;
  if (rail != nullptr) {
    label = rail->name;
    sensor.scope = rail->scope;
    sensor.info.covers = rail->covers;
  } else {
    set_scope(sensor, chip, label);
  }
  if (label.empty()) label = channel;
  sensor.info.name =
      fmt::format("{}{}{} {}", chip.name, chip.device.empty() ? "" : " ", chip.device, label);
  if (is_pci_address(chip.device)) sensor.pci_address = chip.device;
  read_from_file(sensor, chip.folder + "/" + input, kPerMillion);
  return sensor;
}

// Adds the sensors of a chip. Power is left out where the same channel counts energy.
void add_sensors(const HwmonChip& chip, std::vector<EnergySensor>& sensors) {
  std::vector<std::string> channels;  // the numbers of those that have a sensor already
  const auto add = [&](const std::string& kind, const std::string& suffix) {
    for (const std::string& file : list_names(chip.folder, kind)) {
      const std::size_t end = file.find('_');
      if (end == std::string::npos || file.substr(end) != suffix) continue;
      const std::string channel = file.substr(kind.size(), end - kind.size());
      if (std::find(channels.begin(), channels.end(), channel) != channels.end()) continue;
      channels.push_back(channel);
      sensors.push_back(make_sensor(chip, file, kind == "energy"));
    }
  };
  add("energy", "_input");
  add("power", "_input");
  add("power", "_average");
}

// Returns the name of the device that a chip belongs to; "" if it is unknown.
std::string device_name(const std::string& folder) {
  std::error_code missing;
  const auto device = std::filesystem::canonical(folder + "/device", missing);
  return missing ? "" : device.filename().string();
}

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

std::vector<EnergySensor> find_hwmon_sensors(const std::string& sysfs) {
  const std::string root = sysfs + "/class/hwmon/";
  const bool is_on_odroid =
      read_first_line(sysfs + "/firmware/devicetree/base/compatible").find("odroid-xu3") !=
      std::string::npos;
  std::vector<EnergySensor> sensors;
  for (const std::string& entry : list_names(root, kHwmon)) {
    const std::string name = read_first_line(root + entry + "/name");
    const HwmonChip chip{root + entry, name.empty() ? entry : name, device_name(root + entry),
                         is_on_odroid};
    add_sensors(chip, sensors);
  }
  return sensors;
}

// INA231 sensors with the driver of the vendor's kernels for Odroid boards, which shows them
// under <sysfs>/bus/i2c/drivers/INA231. They are switched off until someone writes 1 to `enable`.
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

// The energy counters of Intel and AMD CPUs (RAPL) under <sysfs>/class/powercap.
//
// A zone "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it. Zones of intel-rapl-mmio count
// the same packages again and are left out. See Documentation/power/powercap/powercap.rst of Linux.
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

std::vector<EnergySensor> find_sysfs_sensors(const std::string& sysfs) {
  std::vector<EnergySensor> all = find_rapl_sensors(sysfs);
  for (auto* find : {find_hwmon_sensors, find_ina231_sensors}) {
    std::vector<EnergySensor> more = find(sysfs);
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  }
  return all;
}

}  // namespace tilewright
