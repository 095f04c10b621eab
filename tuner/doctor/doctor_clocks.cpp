// What decides how fast, and how evenly, kernels run: clocks, fork, memory.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tuner/device/clock_reader.hpp"
#include "tuner/doctor/doctor_parts.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kHz = 1'000'000;
// What tuning and benchmarking want: three matrices of 2880 x 2880 in a buffer each, images, the
// compiler.
constexpr std::int64_t kEnoughMiB = 400;
constexpr double kNearTrip = 5.0;  // degrees
constexpr double kHot = 80.0;      // degrees, where no trip point is known

std::string mhz(std::int64_t hz) {
  return fmt::format("{:g} MHz", static_cast<double>(hz) / static_cast<double>(kHz));
}

std::string available(const BoardFiles& files, const std::string& folder) {
  std::vector<std::string> steps;
  for (const std::string& word :
       words_of(files.text(folder + "/available_frequencies").value_or(""))) {
    steps.push_back(
        fmt::format("{:g}", std::strtod(word.c_str(), nullptr) / static_cast<double>(kHz)));
  }
  return steps.empty() ? "" : fmt::format(", of {} MHz", fmt::join(steps, " "));
}

// The vendor's kernel of the Exynos 5422 (Linux 3.10) has attributes of its own instead of devfreq.
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

Finding without_devfreq(const BoardFiles& files, bool gpu) {
  const std::string folder = exynos_folder(files);
  if (!folder.empty()) {
    return note(
        "clock",
        fmt::format("{0}/clock says {1}, {0}/dvfs_governor {2}; there is no devfreq, so "
                    "that tune cannot watch the clock",
                    folder, files.line(folder + "/clock"), files.line(folder + "/dvfs_governor")),
        "a kernel from 4.14 on has devfreq; with this one, switch the GPU's dvfs off in "
        "that folder, if it allows it, and cool the board");
  }
  if (!gpu) return ok("clock", "no GPU's clock under /sys/class/devfreq");
  return note("clock",
              "the GPU's clock is not under /sys/class/devfreq, so that tune cannot watch it",
              "cool the board, and look whether the kernel was built with devfreq for the GPU");
}

Finding devfreq_finding(const BoardFiles& files, const ClockReader& clock) {
  const std::string folder = clock.path().substr(files.root().size());
  const std::int64_t now = clock.now_hz();
  const std::int64_t least = files.number(folder + "/min_freq").value_or(0);
  const std::int64_t most = files.number(folder + "/max_freq").value_or(0);
  const std::string governor = clock.governor();
  const std::string seen = fmt::format("{}: governor {}, {} now, {} to {}{}", folder,
                                       governor.empty() ? "unknown" : governor, mhz(now),
                                       mhz(least), mhz(most), available(files, folder));
  const std::string pin = fmt::format("echo performance | sudo tee {}/governor", folder);
  const bool fixed = least > 0 && least == most;
  if (governor == "powersave") {
    return note("clock", seen + "; pinned at its lowest", pin);
  }
  if (!fixed && !governor.empty() && governor != "performance" && governor != "userspace") {
    return note("clock", seen + "; it floats, which makes samples incomparable", pin);
  }
  if (governor == "performance" && now > 0 && now < most) {
    return note(
        "clock", seen + "; below its highest although pinned there",
        "it is throttled, or the firmware caps it: look at the temperatures, cool the board");
  }
  return ok("clock", seen);
}

struct Zone {
  std::string name;
  double degrees = 0.0;
  double trip = 0.0;  // where it begins to throttle; 0: unknown
};

double in_degrees(std::int64_t value) {
  // Thousandths, but for a few old drivers.
  return value > 1000 || value < -1000 ? static_cast<double>(value) / 1000.0
                                       : static_cast<double>(value);
}

std::vector<Zone> zones_of(const BoardFiles& files) {
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

std::string described(const Zone& zone) {
  std::string text = fmt::format("{} {:.1f} C", zone.name, zone.degrees);
  if (zone.trip > 0.0) text += fmt::format(" (throttles at {:g})", zone.trip);
  return text;
}

}  // namespace

Findings clock_findings(const BoardFiles& files, const std::vector<GpuNode>& nodes) {
  const ClockReader clock(files.root() + "/sys");
  if (clock.path().empty()) return {without_devfreq(files, !nodes.empty())};
  return {devfreq_finding(files, clock)};
}

Findings processor_findings(const BoardFiles& files) {
  const std::string folder = "/sys/devices/system/cpu";
  std::set<std::string> governors;
  for (const std::string& name : files.entries(folder)) {
    const std::string governor = files.line(folder + "/" + name + "/cpufreq/scaling_governor");
    if (!governor.empty()) governors.insert(governor);
  }
  if (governors.empty()) return {};
  const std::string seen = fmt::format("governor of the cores: {}", fmt::join(governors, ", "));
  if (governors == std::set<std::string>{"performance"}) return {ok("cpu", seen)};
  return {
      note("cpu", seen + "; launches take longer while a core is slow",
           "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")};
}

Findings temperature_findings(const BoardFiles& files) {
  const std::vector<Zone> zones = zones_of(files);
  std::vector<std::string> all;
  std::vector<std::string> hot;
  for (const Zone& zone : zones) (is_hot(zone) ? hot : all).push_back(described(zone));
  Findings findings;
  if (!all.empty()) findings.push_back(ok("temperature", fmt::format("{}", fmt::join(all, ", "))));
  if (!hot.empty()) {
    findings.push_back(note("temperature", fmt::format("{}", fmt::join(hot, ", ")),
                            "it throttles, or is about to: put a fan on it before tuning"));
  }
  return findings;
}

Findings memory_findings(const BoardFiles& files) {
  const std::string text = files.text("/proc/meminfo").value_or("");
  const auto mib = [&](const char* key) {
    return std::strtoll(value_of(text, key).c_str(), nullptr, 10) / 1024;
  };
  const std::int64_t total = mib("MemTotal");
  // Kernels before 3.14 do not say what is available.
  const bool says = !value_of(text, "MemAvailable").empty();
  const std::int64_t free = says ? mib("MemAvailable") : mib("MemFree") + mib("Cached");
  if (total == 0) return {};
  const std::string seen = fmt::format("{} MiB of {} MiB are available", free, total);
  if (free >= kEnoughMiB) return {ok("memory", seen)};
  return {
      note("memory", seen,
           "end what is not needed (the desktop), or tune with smaller --shapes: a device shares "
           "this memory")};
}

}  // namespace tilewright
