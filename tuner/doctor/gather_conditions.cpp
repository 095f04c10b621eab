// Gathers what determines how fast and how steadily kernels run: clocks, watchdogs, temperatures
// and memory; and the energy sensors.
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tuner/doctor/gather.hpp"
#include "tuner/energy/energy_sensor.hpp"
#include "tuner/measure/device/clock_reader.hpp"

namespace tilewright {
namespace {

std::string mhz(std::int64_t hz) {
  return fmt::format("{:g}", static_cast<double>(hz) / 1e6);
}

// Facts about the GPU's clock on the vendor's kernel for the Exynos 5422 (Linux 3.10), which has
// its own attributes instead of devfreq.
Evidence exynos_clock_evidence(const Machine& machine) {
  const BoardFiles& files = machine.files;
  std::string found;
  for (const std::string folder : {"/sys/devices/", "/sys/devices/platform/"}) {
    for (const std::string& name : files.entries(folder)) {
      const bool is_gpu = name.find(".mali") != std::string::npos;
      if (found.empty() && is_gpu && files.exists(folder + name + "/clock")) found = folder + name;
    }
  }
  return {"clock",
          {{"exynos", yes(!found.empty())},
           {"folder", found},
           {"clock", files.line(found + "/clock")},
           {"governor", files.line(found + "/dvfs_governor")},
           {"gpu", yes(!machine.nodes.empty())}}};
}

Evidence clock_evidence(const Machine& machine) {
  const BoardFiles& files = machine.files;
  const ClockReader clock(files.root() + "/sys");
  if (clock.path().empty()) return exynos_clock_evidence(machine);
  const std::string folder = clock.path().substr(files.root().size());
  const std::int64_t now = clock.now_hz();
  const std::int64_t min = files.number(folder + "/min_freq").value_or(0);
  const std::int64_t max = files.number(folder + "/max_freq").value_or(0);
  const std::string governor = clock.governor().empty() ? "unknown" : clock.governor();
  std::vector<std::string> steps;
  for (const std::string& word : split_words(files.text(folder + "/available_frequencies"))) {
    steps.push_back(mhz(std::strtoll(word.c_str(), nullptr, 10)));
  }
  std::string reading = fmt::format("{}: governor {}, {} MHz now, {} MHz to {} MHz", folder,
                                    governor, mhz(now), mhz(min), mhz(max));
  if (!steps.empty()) reading += fmt::format(", of {} MHz", fmt::join(steps, " "));
  return {"clock",
          {{"folder", folder},
           {"governor", governor},
           {"fixed", yes(min > 0 && min == max)},
           {"below_max", yes(now > 0 && now < max)},
           {"reading", reading}}};
}

Evidence watchdog_evidence(const std::string& who, double ms) {
  return {
      "watchdog",
      {{"who", who}, {"ms", fmt::format("{:g}", ms)}, {"half_ms", fmt::format("{:g}", ms / 2)}}};
}

// How long a launch may take before kbase ends it.
//
// GPUs with a job manager: `js_timeouts` has the times in ms for soft stop, soft stop of CL, hard
// stop of SS, of CL, while dumping, reset of SS, of CL, while dumping (mali_kbase_core_linux.c).
// Kernels before DDK r4 have five values, without those of CL. Command-stream GPUs:
// `progress_timeout` is the number of GPU cycles without progress (mali_kbase_csf_timeout.c).
Evidence kbase_watchdog(const BoardFiles& files) {
  const std::string file = kbase_file("js_timeouts");
  const std::vector<std::string> values = split_words(files.text(file));
  std::vector<std::size_t> ends_launch;
  if (values.size() == 8) ends_launch = {3, 6};
  if (values.size() == 5) ends_launch = {1, 3};
  double ms = 0.0;
  for (const std::size_t place : ends_launch) {
    const double limit_ms = std::strtod(values[place].c_str(), nullptr);
    if (limit_ms > 0.0 && (ms == 0.0 || limit_ms < ms)) ms = limit_ms;
  }
  if (ms > 0.0) return watchdog_evidence(fmt::format("kbase ({})", file), ms);
  const std::string progress = kbase_file("progress_timeout");
  const auto cycles = files.number(progress);
  return {"watchdog", {{"file", progress}, {"cycles", cycles ? std::to_string(*cycles) : ""}}};
}

double in_degrees(std::int64_t value) {
  // The value is in thousandths of a degree, except for a few old drivers.
  const auto number = static_cast<double>(value);
  return std::abs(number) > 1000.0 ? number / 1000.0 : number;
}

// Returns the temperature at which a zone throttles; 0 if it is unknown.
double trip_point(const BoardFiles& files, const std::string& zone) {
  double lowest = 0.0;
  for (int i = 0; i < 16; ++i) {
    const std::string trip = fmt::format("{}/trip_point_{}_", zone, i);
    const double at = in_degrees(files.number(trip + "temp").value_or(0));
    if (at <= 0.0 || files.line(trip + "type") != "passive") continue;
    if (lowest == 0.0 || at < lowest) lowest = at;
  }
  return lowest;
}

void gather_temperatures(const BoardFiles& files, EvidenceList& all) {
  constexpr double kNearTrip = 5.0;  // degrees Celsius
  constexpr double kHot = 80.0;      // degrees Celsius, used if no trip point is known
  const std::string folder = "/sys/class/thermal/";
  std::vector<std::string> cool;
  std::vector<std::string> hot;
  for (const std::string& entry : files.entries(folder)) {
    const auto value = files.number(folder + entry + "/temp");
    if (!entry.starts_with("thermal_zone") || !value) continue;
    const std::string type = files.line(folder + entry + "/type");
    const double degrees = in_degrees(*value);
    const double trip = trip_point(files, folder + entry);
    std::string text = fmt::format("{} {:.1f} C", type.empty() ? entry : type, degrees);
    if (trip > 0.0) text += fmt::format(" (throttles at {:g})", trip);
    (degrees >= (trip > 0.0 ? trip - kNearTrip : kHot) ? hot : cool).push_back(text);
  }
  all.push_back({"temperature", {{"cool", fmt::format("{}", fmt::join(cool, ", "))}}});
  all.push_back({"temperature", {{"hot", fmt::format("{}", fmt::join(hot, ", "))}}});
}

Evidence processor_evidence(const BoardFiles& files) {
  const std::string folder = "/sys/devices/system/cpu/";
  std::set<std::string> governors;
  for (const std::string& name : files.entries(folder)) {
    const std::string governor = files.line(folder + name + "/cpufreq/scaling_governor");
    if (!governor.empty()) governors.insert(governor);
  }
  return {"cpu", {{"governors", fmt::format("{}", fmt::join(governors, ", "))}}};
}

Evidence memory_evidence(const BoardFiles& files) {
  const auto mib = [&](const char* key) {
    return std::strtoll(files.value("/proc/meminfo", key).c_str(), nullptr, 10) / 1024;
  };
  // Kernels before 3.14 do not report the available memory.
  const bool is_reported = !files.value("/proc/meminfo", "MemAvailable").empty();
  const std::int64_t free = is_reported ? mib("MemAvailable") : mib("MemFree") + mib("Cached");
  const std::int64_t total = mib("MemTotal");
  return {
      "memory",
      {{"free_mib", std::to_string(free)}, {"total_mib", total == 0 ? "" : std::to_string(total)}}};
}

// Energy sensors. NVML's are those that the worker found, because a library is loaded only there.
void gather_sensors(const Machine& machine, EvidenceList& all) {
  std::vector<SensorInfo> sensors;
  if (machine.probe) sensors = machine.probe->gpu_sensors;
  for (const EnergySensor& sensor : find_sysfs_sensors(machine.files.root() + "/sys")) {
    sensors.push_back(sensor.info);
  }
  for (const SensorInfo& sensor : sensors) {
    all.push_back(
        {"sensor",
         {{"name", sensor.name}, {"covers", sensor.covers}, {"unreadable", sensor.unreadable}}});
  }
  if (sensors.empty()) all.push_back({"sensor", {}});
}

}  // namespace

void gather_conditions(const Machine& machine, EvidenceList& all) {
  all.push_back(clock_evidence(machine));
  if (machine.has_node("kbase")) all.push_back(kbase_watchdog(machine.files));
  // JOB_TIMEOUT_MS in drivers/gpu/drm/panfrost/panfrost_job.c and in panthor.
  if (machine.has_node("panfrost")) all.push_back(watchdog_evidence("panfrost", 500.0));
  if (machine.has_node("panthor")) all.push_back(watchdog_evidence("panthor", 5000.0));
  all.push_back(processor_evidence(machine.files));
  gather_temperatures(machine.files, all);
  all.push_back(memory_evidence(machine.files));
  gather_sensors(machine, all);
}

}  // namespace tilewright
