// Gathers what determines how fast and how steadily kernels run: clocks, watchdogs, temperatures
// and memory.
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tuner/doctor/evidence.hpp"
#include "tuner/energy/energy_sensor.hpp"
#include "tuner/measure/device/clock_reader.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kHz = 1'000'000;
constexpr double kNearTrip = 5.0;  // degrees Celsius
constexpr double kHot = 80.0;      // degrees Celsius, used if no trip point is known

std::string mhz(std::int64_t hz) {
  return fmt::format("{:g} MHz", static_cast<double>(hz) / static_cast<double>(kHz));
}

std::string available(const BoardFiles& files, const std::string& folder) {
  std::vector<std::string> steps;
  for (const std::string& word :
       split_words(files.text(folder + "/available_frequencies").value_or(""))) {
    steps.push_back(
        fmt::format("{:g}", std::strtod(word.c_str(), nullptr) / static_cast<double>(kHz)));
  }
  return steps.empty() ? "" : fmt::format(", of {} MHz", fmt::join(steps, " "));
}

// Returns the folder of the GPU's clock on the vendor's kernel for the Exynos 5422 (Linux 3.10),
// which has its own attributes instead of devfreq.
std::string exynos_folder(const BoardFiles& files) {
  for (const std::string& folder :
       {std::string("/sys/devices"), std::string("/sys/devices/platform")}) {
    for (const std::string& name : files.entries(folder)) {
      const std::string path = folder + "/" + name;
      if (name.find(".mali") != std::string::npos && files.exists(path + "/clock")) return path;
    }
  }
  return "";
}

Evidence clock_evidence(const Machine& machine) {
  const BoardFiles& files = machine.files;
  const ClockReader clock(files.root() + "/sys");
  if (clock.path().empty()) {
    const std::string folder = exynos_folder(files);
    return {"clock",
            {{"exynos", yes(!folder.empty())},
             {"folder", folder},
             {"clock", files.line(folder + "/clock")},
             {"governor", files.line(folder + "/dvfs_governor")},
             {"gpu", yes(!machine.nodes.empty())}}};
  }
  const std::string folder = clock.path().substr(files.root().size());
  const std::int64_t now = clock.now_hz();
  const std::int64_t min = files.number(folder + "/min_freq").value_or(0);
  const std::int64_t max = files.number(folder + "/max_freq").value_or(0);
  const std::string governor = clock.governor().empty() ? "unknown" : clock.governor();
  return {"clock",
          {{"folder", folder},
           {"governor", governor},
           {"fixed", yes(min > 0 && min == max)},
           {"below_max", yes(now > 0 && now < max)},
           {"reading", fmt::format("{}: governor {}, {} now, {} to {}{}", folder, governor,
                                   mhz(now), mhz(min), mhz(max), available(files, folder))}}};
}

// Returns the smallest positive value at the given places; 0 if there is none.
double min_positive(const std::vector<std::string>& values,
                    std::initializer_list<std::size_t> places) {
  double least = 0.0;
  for (const std::size_t place : places) {
    const double ms = std::strtod(values[place].c_str(), nullptr);
    if (ms > 0.0 && (least == 0.0 || ms < least)) least = ms;
  }
  return least;
}

Evidence watchdog_limit(const std::string& who, double ms) {
  return {
      "watchdog",
      {{"who", who}, {"ms", fmt::format("{:g}", ms)}, {"half_ms", fmt::format("{:g}", ms / 2)}}};
}

// Returns how long a launch may take before kbase ends it.
//
// GPUs with a job manager: `js_timeouts` has the times in ms for soft stop, soft stop of CL, hard
// stop of SS, of CL, while dumping, reset of SS, of CL, while dumping (mali_kbase_core_linux.c).
// Kernels before DDK r4 have five values, without those of CL. Command-stream GPUs:
// `progress_timeout` is the number of GPU cycles without progress (mali_kbase_csf_timeout.c).
Evidence kbase_watchdog(const BoardFiles& files) {
  const std::string folder = "/sys/class/misc/mali0/device";
  const std::vector<std::string> values =
      split_words(files.text(folder + "/js_timeouts").value_or(""));
  double ms = 0.0;
  if (values.size() == 8) ms = min_positive(values, {3, 6});
  if (values.size() == 5) ms = min_positive(values, {1, 3});
  if (ms > 0.0) return watchdog_limit(fmt::format("kbase ({}/js_timeouts)", folder), ms);
  const auto cycles = files.number(folder + "/progress_timeout");
  return {
      "watchdog",
      {{"file", folder + "/progress_timeout"}, {"cycles", cycles ? std::to_string(*cycles) : ""}}};
}

struct Zone {
  std::string name;
  double degrees = 0.0;
  double trip = 0.0;  // temperature at which throttling starts; 0: unknown
};

double in_degrees(std::int64_t value) {
  // The value is in thousandths of a degree, except for a few old drivers.
  return value > 1000 || value < -1000 ? static_cast<double>(value) / 1000.0
                                       : static_cast<double>(value);
}

std::vector<Zone> list_thermal_zones(const BoardFiles& files) {
  const std::string folder = "/sys/class/thermal";
  std::vector<Zone> zones;
  for (const std::string& entry : files.entries(folder)) {
    const std::string path = folder + "/" + entry;
    const auto value = files.number(path + "/temp");
    if (entry.rfind("thermal_zone", 0) != 0 || !value) continue;
    Zone zone{files.line(path + "/type"), in_degrees(*value), 0.0};
    if (zone.name.empty()) zone.name = entry;
    for (int i = 0; i < 16; ++i) {
      const std::string trip = fmt::format("{}/trip_point_{}_", path, i);
      const auto at = files.number(trip + "temp");
      if (!at || *at <= 0 || files.line(trip + "type") != "passive") continue;
      if (zone.trip == 0.0 || in_degrees(*at) < zone.trip) zone.trip = in_degrees(*at);
    }
    zones.push_back(zone);
  }
  return zones;
}

bool is_hot(const Zone& zone) {
  return zone.degrees >= (zone.trip > 0.0 ? zone.trip - kNearTrip : kHot);
}

std::string describe(const Zone& zone) {
  std::string text = fmt::format("{} {:.1f} C", zone.name, zone.degrees);
  if (zone.trip > 0.0) text += fmt::format(" (throttles at {:g})", zone.trip);
  return text;
}

Evidence temperature_evidence(const char* fact, const std::vector<std::string>& zones) {
  return {"temperature", {{fact, fmt::format("{}", fmt::join(zones, ", "))}}};
}

Evidence processor_evidence(const BoardFiles& files) {
  const std::string folder = "/sys/devices/system/cpu";
  std::set<std::string> governors;
  for (const std::string& name : files.entries(folder)) {
    const std::string governor = files.line(folder + "/" + name + "/cpufreq/scaling_governor");
    if (!governor.empty()) governors.insert(governor);
  }
  return {"cpu", {{"governors", fmt::format("{}", fmt::join(governors, ", "))}}};
}

Evidence memory_evidence(const BoardFiles& files) {
  const std::string text = files.text("/proc/meminfo").value_or("");
  const auto mib = [&](const char* key) {
    return std::strtoll(find_value(text, key).c_str(), nullptr, 10) / 1024;
  };
  // Kernels before 3.14 do not report the available memory.
  const bool says = !find_value(text, "MemAvailable").empty();
  const std::int64_t free = says ? mib("MemAvailable") : mib("MemFree") + mib("Cached");
  const std::int64_t total = mib("MemTotal");
  return {
      "memory",
      {{"free_mib", std::to_string(free)}, {"total_mib", total == 0 ? "" : std::to_string(total)}}};
}

Evidence sensor_evidence(const SensorInfo& sensor) {
  return {"sensor",
          {{"name", sensor.name}, {"covers", sensor.covers}, {"unreadable", sensor.unreadable}}};
}

// Energy sensors. NVML's are those that the worker found, because a library is loaded only there.
EvidenceList sensors_evidence(const Machine& machine) {
  EvidenceList all;
  if (machine.probe) {
    for (const SensorInfo& sensor : machine.probe->gpu_sensors) {
      all.push_back(sensor_evidence(sensor));
    }
  }
  for (const EnergySensor& sensor : find_sysfs_sensors(machine.files.root() + "/sys")) {
    all.push_back(sensor_evidence(sensor.info));
  }
  if (all.empty()) all.push_back({"sensor", {}});
  return all;
}

}  // namespace

EvidenceList machine_evidence(const Machine& machine) {
  EvidenceList all = {clock_evidence(machine)};
  if (machine.has_node("kbase")) all.push_back(kbase_watchdog(machine.files));
  // JOB_TIMEOUT_MS in drivers/gpu/drm/panfrost/panfrost_job.c and in panthor.
  if (machine.has_node("panfrost")) all.push_back(watchdog_limit("panfrost", 500.0));
  if (machine.has_node("panthor")) all.push_back(watchdog_limit("panthor", 5000.0));
  all.push_back(processor_evidence(machine.files));
  std::vector<std::string> cool;
  std::vector<std::string> hot;
  for (const Zone& zone : list_thermal_zones(machine.files)) {
    (is_hot(zone) ? hot : cool).push_back(describe(zone));
  }
  all.push_back(temperature_evidence("cool", cool));
  all.push_back(temperature_evidence("hot", hot));
  all.push_back(memory_evidence(machine.files));
  for (Evidence& sensor : sensors_evidence(machine)) all.push_back(std::move(sensor));
  return all;
}

}  // namespace tilewright
