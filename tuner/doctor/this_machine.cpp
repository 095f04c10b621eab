#include "tuner/doctor/this_machine.hpp"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "profiles/base/file_trust.hpp"
#include "profiles/base/usage_error.hpp"
#include "runtime/device/binary_cache.hpp"
#include "tuner/doctor/drivers.hpp"
#include "tuner/measure/device/pocl_cache.hpp"

namespace tilewright {
namespace {

std::string user_name() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry == nullptr ? "" : entry->pw_name;
}

// Describes the user on this machine. Libraries are loaded in worker processes to see whether they
// work.
DoctorUser this_user() {
  DoctorUser user;
  for (const std::string& name : doctor_variables()) {
    const char* value = ::getenv(name.c_str());
    if (value != nullptr && *value != '\0') user.environment[name] = value;
  }
  user.machine = elf_machine(BoardFiles(), "/proc/self/exe");
  user.unwritable_pocl_cache = unwritable_pocl_cache();
  if (const auto cache = default_binary_cache()) {
    user.cache_folder = cache->folder();
    user.cache_obstacle = to_text(why_not_trusted(cache->folder(), only_this_user()));
    if (user.cache_obstacle.empty() && !can_write_folder(user.cache_folder)) {
      user.cache_obstacle = "cannot be created or written";
    }
  }
  user.why_not_loaded = [](const std::string& library) { return probe_library(library); };
  return user;
}

// Queries each driver alone. Returns the drivers that fail, crash or hang, by ICD file. Drivers
// that list no device are added to `probe`.
std::map<std::string, std::string> ask_each(const BoardFiles& files,
                                            const std::vector<Driver>& drivers,
                                            OpenClProbe& probe) {
  std::map<std::string, std::string> culprits;
  for (const Driver& driver : drivers) {
    if (driver.icd_file.empty() || driver.path.empty()) continue;
    const OpenClProbe alone = probe_opencl(driver.icd_file);
    if (!alone.failure.empty()) {
      culprits[driver.icd_file] = alone.failure;
    } else if (!alone.failures.empty()) {
      culprits[driver.icd_file] = fmt::format("reported: {}", fmt::join(alone.failures, "; "));
    } else if (alone.devices.empty() && probe.failure.empty() &&
               is_opencl_driver(files, driver.path)) {
      probe.without_devices.push_back(driver.icd_file);
    }
  }
  return culprits;
}

// Returns true for findings about device nodes, clocks and watchdogs of GPUs.
bool is_about_gpus(const Finding& finding) {
  constexpr std::string_view kSubjects[] = {"node", "clock", "watchdog"};
  return std::find(std::begin(kSubjects), std::end(kSubjects), finding.subject) !=
         std::end(kSubjects);
}

}  // namespace

Findings findings_below(const std::string& root) {
  const BoardFiles files(root);
  if (!files.is_folder("/")) {
    throw UsageError(fmt::format("--root: {} is not a folder", root));
  }
  const bool here = files.root().empty();
  DoctorUser user = here ? this_user() : DoctorUser{};
  user.name = user_name();
  user.may_use = [&](const std::string& path) {
    return ::faccessat(AT_FDCWD, files.here(path).c_str(), R_OK | W_OK, AT_EACCESS) == 0;
  };
  std::optional<OpenClProbe> probe;
  std::map<std::string, std::string> culprits;
  if (here) {
    probe = probe_opencl();
    const std::vector<Driver> drivers = find_drivers(files, user);
    const bool has_failed = !probe->failure.empty() || !probe->failures.empty();
    if (has_failed || drivers.size() > 1 || probe->devices.empty()) {
      culprits = ask_each(files, drivers, *probe);
    }
  }
  return examine(files, user, probe, culprits, default_search_path());
}

Findings findings_before_tuning(const Findings& findings, const DeviceInfo& device) {
  Findings reported;
  std::copy_if(
      findings.begin(), findings.end(), std::back_inserter(reported), [&](const Finding& f) {
        if (f.state == FindingState::kProblem) return true;
        // Neither profiles, caches nor energy sensors matter to a tuning for time.
        if (f.state == FindingState::kOk) return false;
        if (f.subject == "profile" || f.subject == "cache" || f.subject == "sensor") return false;
        if (device.kind == DeviceKind::kCpu && is_about_gpus(f)) return false;
        return f.advice.empty() || device.clock_warning.find(f.advice) == std::string::npos;
      });
  return reported;
}

std::vector<std::string> lines_before_tuning(const Findings& findings, const DeviceInfo& device) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings_before_tuning(findings, device)) {
    lines.push_back(fmt::format("{}: {}{}{}", to_text(finding.state), finding.seen,
                                finding.advice.empty() ? "" : "\n  -> ", finding.advice));
  }
  return lines;
}

}  // namespace tilewright
