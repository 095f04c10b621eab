#include "tuner/doctor/doctor.hpp"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "profiles/base/file_trust.hpp"
#include "profiles/base/printable.hpp"
#include "profiles/base/usage_error.hpp"
#include "runtime/device/binary_cache.hpp"
#include "runtime/device/environment.hpp"
#include "tuner/doctor/gather.hpp"
#include "tuner/journal/records/shares.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/measure/device/cpu_driver.hpp"

namespace tilewright {
namespace {

// Describes the user on this machine. Libraries are loaded in worker processes to see whether they
// work.
DoctorUser this_user() {
  DoctorUser user;
  for (const char* name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "RUSTICL_ENABLE",
                           "LD_LIBRARY_PATH", "POCL_AFFINITY", "TILEWRIGHT_CACHE"}) {
    user.environment[name] = environment(name);
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

std::ptrdiff_t count_findings(const Findings& findings, FindingState state) {
  return std::count_if(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return finding.state == state; });
}

EvidenceList gather(const Machine& machine) {
  EvidenceList all;
  gather_nodes(machine, all);
  gather_drivers(machine, all);
  gather_stack(machine, all);
  gather_devices(machine, all);
  gather_profiles(machine, all);
  gather_conditions(machine, all);
  return all;
}

// Breaks long advice after ";" and ":", which are never inside a command, so that commands can be
// copied.
std::string advice_lines(const Finding& finding) {
  constexpr std::size_t kIndent = 25;
  std::string text = printable(finding.advice);
  if (kIndent + text.size() <= kMaxColumns) return text;
  for (const char* end : {"; ", ": "}) {
    for (std::size_t at = text.find(end); at != std::string::npos; at = text.find(end, at + 1)) {
      text.replace(at + 1, 1, "\n" + std::string(kIndent, ' '));
    }
  }
  return text;
}

}  // namespace

std::string DoctorUser::variable(const std::string& variable) const {
  const auto found = environment.find(variable);
  return found == environment.end() ? "" : found->second;
}

Findings examine(const BoardFiles& files, const DoctorUser& user,
                 const std::optional<OpenClProbe>& probe,
                 const std::map<std::string, std::string>& culprits, const SearchPath& profiles) {
  Findings findings;
  for (Evidence& evidence : gather(
           {files, user, probe, culprits, profiles, find_drivers(files, user), gpu_nodes(files)})) {
    if (evidence.subject == "opencl") {
      evidence.facts["problems_above"] = yes(has_problems(findings));
    }
    if (auto finding = finding_from(evidence)) findings.push_back(std::move(*finding));
  }
  return findings;
}

Findings findings_below(const std::string& root) {
  const BoardFiles files(root);
  if (!files.is_folder("/")) {
    throw UsageError(fmt::format("--root: {} is not a folder", root));
  }
  const bool here = files.root().empty();
  DoctorUser user = here ? this_user() : DoctorUser{};
  if (const passwd* entry = ::getpwuid(::geteuid())) user.name = entry->pw_name;
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

bool has_problems(const Findings& findings) {
  return count_findings(findings, FindingState::kProblem) > 0;
}

std::string to_text(FindingState state) {
  constexpr const char* kNames[] = {"ok", "note", "problem"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string to_text(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{:<8} {:<12} {}\n", to_text(finding.state), printable(finding.subject),
                        wrapped(printable(finding.seen), kMaxColumns, 22, true));
    if (!finding.advice.empty()) text += fmt::format("{:22}-> {}\n", "", advice_lines(finding));
  }
  const std::ptrdiff_t problems = count_findings(findings, FindingState::kProblem);
  const std::ptrdiff_t notes = count_findings(findings, FindingState::kNote);
  return text + fmt::format("\n{} problem{}, {} note{}\n", problems, problems == 1 ? "" : "s",
                            notes, notes == 1 ? "" : "s");
}

std::string to_json_text(const Findings& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"subject", finding.subject},
                    {"state", to_text(finding.state)},
                    {"seen", finding.seen},
                    {"advice", finding.advice}});
  }
  const nlohmann::ordered_json json = {
      {"problems", count_findings(findings, FindingState::kProblem)},
      {"notes", count_findings(findings, FindingState::kNote)},
      {"findings", list}};
  return pretty(json);
}

std::vector<std::string> lines_before_tuning(const Findings& findings, const DeviceInfo& device) {
  // Neither profiles nor caches nor energy sensors matter to a tuning for time.
  std::set<std::string> left_out = {"profile", "cache", "sensor"};
  if (device.kind == DeviceKind::kCpu) left_out.insert({"node", "clock", "watchdog"});
  std::vector<std::string> lines;
  for (const Finding& finding : findings) {
    const std::string& advice = finding.advice;
    const bool is_known = !advice.empty() && device.clock_warning.find(advice) != std::string::npos;
    const bool is_shown =
        finding.state == FindingState::kNote && !left_out.contains(finding.subject) && !is_known;
    if (!is_shown && finding.state != FindingState::kProblem) continue;
    lines.push_back(fmt::format("{}: {}{}{}", to_text(finding.state), finding.seen,
                                advice.empty() ? "" : "\n  -> ", advice));
  }
  return lines;
}

}  // namespace tilewright
