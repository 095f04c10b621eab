// Facts about the loader, the ICD files, the libraries that they name, drivers without ICD file,
// and the caches of compiled kernels.
#include <fmt/ranges.h>

#include <algorithm>

#include "profiles/base/file_trust.hpp"
#include "profiles/base/text_file.hpp"
#include "tuner/doctor/evidence.hpp"

namespace tilewright {
namespace {

constexpr const char* kLoader = "libOpenCL.so.1";

Evidence loader_evidence(const Machine& machine) {
  // The library that the program used to list devices, or else the one that is found.
  const bool is_asked = machine.probe && machine.probe->loader;
  const OpenClLoader loader =
      is_asked ? *machine.probe->loader
               : OpenClLoader{find_library(machine.files, machine.user, kLoader), true, {}, {}};
  return {"loader",
          {{"asked", yes(is_asked)},
           {"path", loader.path},
           {"resolved", machine.files.resolved(loader.path)},
           {"mali", yes(!loader.path.empty() && leads_to_mali(machine.files, loader.path))},
           {"usual", yes(loader.has_usual_versions)},
           {"missing", fmt::format("{}", fmt::join(loader.missing, ", "))},
           {"tried", fmt::format("{}", fmt::join(loader.tried, "; "))}}};
}

// What precedes or follows the library's name on the first line of an ICD file; "": nothing.
std::string surplus(const BoardFiles& files, const Driver& driver) {
  const std::string text = files.text(driver.icd_file).value_or("");
  const std::string line = text.substr(0, text.find('\n'));
  if (driver.icd_file.empty() || line == driver.library) return "";
  if (line.find('\r') != std::string::npos) return "a carriage return (CR LF line ends) after";
  return without_byte_order_mark(line).size() != line.size() ? "a byte-order mark before"
                                                             : "blanks around";
}

// An earlier ICD file that names the same library; "": none.
std::string twin(const Machine& machine, const Driver& driver) {
  const std::string path = machine.files.resolved(driver.path);
  for (const Driver& other : machine.drivers) {
    if (&other == &driver) break;
    if (!other.path.empty() && machine.files.resolved(other.path) == path) return other.icd_file;
  }
  return "";
}

bool lists_no_device(const Machine& machine, const Driver& driver) {
  if (!machine.probe) return false;
  const std::vector<std::string>& silent = machine.probe->without_devices;
  return std::find(silent.begin(), silent.end(), driver.icd_file) != silent.end();
}

Evidence icd_evidence(const Machine& machine, const Driver& driver) {
  const DoctorUser& user = machine.user;
  const bool has_file = !driver.icd_file.empty();
  const std::string elf = driver.path.empty() ? "" : elf_machine(machine.files, driver.path);
  const bool is_foreign = !elf.empty() && !user.machine.empty() && elf != user.machine;
  const bool is_tried = !elf.empty() && !is_foreign && user.why_not_loaded;
  return {"icd",
          {{"from", has_file ? driver.icd_file : "OCL_ICD_VENDORS"},
           {"library", driver.library},
           {"surplus", surplus(machine.files, driver)},
           {"path", driver.path},
           {"machine", elf},
           {"program_machine", user.machine},
           {"foreign", yes(is_foreign)},
           {"loads", yes(is_tried)},
           {"load_failure", is_tried ? user.why_not_loaded(driver.path).value_or("") : ""},
           {"driver", yes(is_opencl_driver(machine.files, driver.path))},
           {"twin", twin(machine, driver)},
           {"silent", yes(lists_no_device(machine, driver))},
           {"devices", yes(machine.probe && !machine.probe->devices.empty())},
           {"pocl", yes(is_named(driver, "pocl"))},
           {"drop",
            has_file ? fmt::format("sudo rm '{}'", driver.icd_file) : "unset OCL_ICD_VENDORS"}}};
}

// The variable that makes the loader read other ICD files than those of the system; "": none does.
std::string redirection(const DoctorUser& user) {
  for (const char* name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}) {
    if (!variable(user, name).empty()) return name;
  }
  return "";
}

// A name for a new ICD file in the folder of the system.
std::string free_icd_file(const BoardFiles& files, const std::string& usual) {
  std::string name = usual;
  for (int i = 2; files.exists("/etc/OpenCL/vendors/" + name); ++i) {
    name = fmt::format("{}-{}.icd", usual.substr(0, usual.rfind('.')), i);
  }
  return name;
}

// Installed drivers that no ICD file names.
EvidenceList unnamed_evidence(const Machine& machine) {
  EvidenceList all;
  for (const KnownDriver& known : kKnownDrivers) {
    const bool is_named =
        std::any_of(machine.drivers.begin(), machine.drivers.end(), [&](const Driver& driver) {
          return is_driver_library(known, driver.library) || is_driver_library(known, driver.path);
        });
    const std::string path = is_named ? "" : find_known_driver(machine.files, machine.user, known);
    if (path.empty()) continue;
    all.push_back({"icd",
                   {{"unnamed", "yes"},
                    {"named_others", yes(!machine.drivers.empty())},
                    {"path", path},
                    {"mali", yes(std::string_view(known.icd_file) == "mali.icd")},
                    {"file", free_icd_file(machine.files, known.icd_file)}}});
  }
  return all;
}

EvidenceList evidence_without_icd_files(const Machine& machine) {
  const std::string name = redirection(machine.user);
  if (!name.empty()) {
    return {{"icd", {{"variable", name}, {"value", variable(machine.user, name)}}}};
  }
  const std::string loader = find_library(machine.files, machine.user, kLoader);
  const bool is_vendors = !loader.empty() && leads_to_mali(machine.files, loader);
  EvidenceList unnamed = is_vendors ? EvidenceList() : unnamed_evidence(machine);
  if (!unnamed.empty()) return unnamed;
  return {
      {"icd",
       {{"folder", vendor_folder(machine.user)}, {"vendors_loader", is_vendors ? loader : ""}}}};
}

EvidenceList all_icd_evidence(const Machine& machine) {
  if (machine.drivers.empty()) return evidence_without_icd_files(machine);
  EvidenceList all;
  for (const Driver& driver : machine.drivers) all.push_back(icd_evidence(machine, driver));
  if (!redirection(machine.user).empty()) return all;
  for (Evidence& evidence : unnamed_evidence(machine)) {
    // Subject libmali covers it.
    if (evidence.facts["mali"].empty()) all.push_back(std::move(evidence));
  }
  return all;
}

Evidence cache_evidence(const DoctorUser& user) {
  return {"cache",
          {{"variable", variable(user, "TILEWRIGHT_CACHE")},
           {"folder", user.cache_folder},
           {"shared", yes(user.cache_obstacle == to_text(Distrust::kWritable))},
           {"obstacle", user.cache_obstacle}}};
}

}  // namespace

EvidenceList driver_evidence(const Machine& machine) {
  EvidenceList all = all_icd_evidence(machine);
  all.insert(all.begin(), loader_evidence(machine));
  const bool has_pocl = std::any_of(machine.drivers.begin(), machine.drivers.end(),
                                    [](const Driver& driver) { return is_named(driver, "pocl"); });
  if (has_pocl) {
    all.push_back({"pocl", {{"unwritable_cache", machine.user.unwritable_pocl_cache}}});
    all.push_back({"pocl", {{"affinity", variable(machine.user, "POCL_AFFINITY")}}});
  }
  if (machine.probe) all.push_back(cache_evidence(machine.user));
  return all;
}

}  // namespace tilewright
