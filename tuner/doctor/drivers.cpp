#include "tuner/doctor/drivers.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "profiles/base/file_trust.hpp"
#include "profiles/base/text_file.hpp"
#include "tuner/doctor/gather.hpp"
#include "tuner/energy/lower_case.hpp"

namespace tilewright {
namespace {

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Returns the folders in which the dynamic loader searches for libraries.
std::vector<std::string> library_folders(const BoardFiles& files, const DoctorUser& user) {
  std::vector<std::string> folders = split_words(user.variable("LD_LIBRARY_PATH"), ':');
  std::vector<std::string> configurations = {"/etc/ld.so.conf"};
  for (const std::string& name : files.entries("/etc/ld.so.conf.d")) {
    configurations.push_back("/etc/ld.so.conf.d/" + name);
  }
  for (const std::string& configuration : configurations) {
    for (const std::string& line : files.lines(configuration)) {
      if (line.starts_with('/')) folders.push_back(line);
    }
  }
  for (const char* folder : {"/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib"}) {
    folders.emplace_back(folder);
  }
  for (const std::string& name : files.entries("/usr/lib")) {
    if (name.find("-linux-gnu") != std::string::npos) folders.push_back("/usr/lib/" + name);
  }
  return folders;
}

std::string vendor_folder(const DoctorUser& user) {
  const std::string folder = user.variable("OPENCL_VENDOR_PATH");
  return folder.empty() ? "/etc/OpenCL/vendors" : folder;
}

// A driver's library, and the name of the ICD file that its packages install.
struct KnownDriver {
  std::string_view library;  // start of its name, in lower case
  std::string_view icd_file;
};
constexpr KnownDriver kKnownDrivers[] = {
    {"libmali", "mali.icd"},
    {"libnvidia-opencl.so", "nvidia.icd"},
    {"librusticlopencl.so", "rusticl.icd"},
    {"libmesaopencl.so", "mesa.icd"},
    {"libpocl.so", "pocl.icd"},
    {"libigdrcl.so", "intel.icd"},
    {"libamdocl64.so", "amdocl64.icd"},
};

// Returns true if the path is a library of this driver.
bool is_driver_library(const KnownDriver& known, const std::string& path) {
  const std::string name = lower_case(file_name(path));
  // There are also builds of libmali without OpenCL, such as
  // libmali-midgard-t86x-r18p0-without-cl.so.
  return name.starts_with(known.library) && name.find(".so") != std::string::npos &&
         name.find("without-cl") == std::string::npos;
}

// Returns the path of the first library of this driver that the program could load; "" if there is
// none.
std::string find_known_driver(const Machine& machine, const KnownDriver& known) {
  const std::vector<std::string> usual = library_folders(machine.files, machine.user);
  std::vector<std::string> folders = usual;
  for (const std::string& folder : usual) {
    for (const char* own : {"/intel-opencl", "/mali-egl"}) folders.push_back(folder + own);
  }
  folders.insert(folders.end(), {"/opt/rocm/lib", "/opt/rocm/opencl/lib"});
  for (const std::string& folder : folders) {
    for (const std::string& name : machine.files.entries(folder)) {
      const std::string path = folder + "/" + name;
      if (!is_driver_library(known, path) || !machine.files.exists(path)) continue;
      const std::string& wanted = machine.user.machine;
      if (wanted.empty() || elf_machine(machine.files, path) == wanted) return path;
    }
  }
  return "";
}

Evidence loader_evidence(const Machine& machine) {
  // The library that the program used to list devices, or else the one that is found.
  const bool is_asked = machine.probe && machine.probe->loader;
  const OpenClLoader loader =
      is_asked ? *machine.probe->loader
               : OpenClLoader{find_loader(machine.files, machine.user), true, {}, {}};
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
  const std::string text = files.text(driver.icd_file);
  const std::string line = text.substr(0, text.find('\n'));
  if (driver.icd_file.empty() || line == driver.library) return "";
  if (line.find('\r') != std::string::npos) return "a carriage return (CR LF line ends) after";
  return without_byte_order_mark(line).size() != line.size() ? "a byte-order mark before"
                                                             : "blanks around";
}

// Returns an earlier ICD file that names the same library; "": none.
std::string twin(const Machine& machine, const Driver& driver) {
  const std::string path = machine.files.resolved(driver.path);
  for (const Driver& other : machine.drivers) {
    if (&other == &driver) break;
    if (!other.path.empty() && machine.files.resolved(other.path) == path) return other.icd_file;
  }
  return "";
}

Evidence icd_evidence(const Machine& machine, const Driver& driver) {
  const BoardFiles& files = machine.files;
  const DoctorUser& user = machine.user;
  const std::optional<OpenClProbe>& probe = machine.probe;
  const bool has_file = !driver.icd_file.empty();
  const std::string elf = driver.path.empty() ? "" : elf_machine(files, driver.path);
  const bool is_foreign = !elf.empty() && !user.machine.empty() && elf != user.machine;
  const bool is_tried = !elf.empty() && !is_foreign && user.why_not_loaded;
  const bool is_silent = probe && std::count(probe->without_devices.begin(),
                                             probe->without_devices.end(), driver.icd_file) > 0;
  return {"icd",
          {{"from", has_file ? driver.icd_file : "OCL_ICD_VENDORS"},
           {"library", driver.library},
           {"surplus", surplus(files, driver)},
           {"path", driver.path},
           {"machine", elf},
           {"program_machine", user.machine},
           {"foreign", yes(is_foreign)},
           {"loads", yes(is_tried)},
           {"load_failure", is_tried ? user.why_not_loaded(driver.path).value_or("") : ""},
           {"driver", yes(is_opencl_driver(files, driver.path))},
           {"twin", twin(machine, driver)},
           {"silent", yes(is_silent)},
           {"devices", yes(probe && !probe->devices.empty())},
           {"pocl", yes(driver.is_named("pocl"))},
           {"drop",
            has_file ? fmt::format("sudo rm '{}'", driver.icd_file) : "unset OCL_ICD_VENDORS"}}};
}

// Adds facts about installed drivers that no ICD file names.
void gather_unnamed_drivers(const Machine& machine, EvidenceList& all) {
  const std::string folder = "/etc/OpenCL/vendors/";
  const std::vector<Driver>& drivers = machine.drivers;
  for (const KnownDriver& known : kKnownDrivers) {
    // If there are ICD files, subject libmali covers it.
    if (!drivers.empty() && known.icd_file == "mali.icd") continue;
    const bool is_named = std::any_of(drivers.begin(), drivers.end(), [&](const Driver& driver) {
      return is_driver_library(known, driver.library) || is_driver_library(known, driver.path);
    });
    const std::string path = is_named ? "" : find_known_driver(machine, known);
    if (path.empty()) continue;
    std::string icd_file(known.icd_file);  // a new one
    for (int i = 2; machine.files.exists(folder + icd_file); ++i) {
      icd_file = fmt::format("{}-{}.icd", known.icd_file.substr(0, known.icd_file.rfind('.')), i);
    }
    all.push_back({"icd",
                   {{"unnamed", "yes"},
                    {"named_others", yes(!drivers.empty())},
                    {"path", path},
                    {"file", icd_file}}});
  }
}

void gather_icd_files(const Machine& machine, EvidenceList& all) {
  for (const Driver& driver : machine.drivers) all.push_back(icd_evidence(machine, driver));
  const bool is_empty = machine.drivers.empty();
  // A variable may make the loader read other ICD files than those of the system.
  for (const char* name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}) {
    const std::string value = machine.user.variable(name);
    if (value.empty()) continue;
    if (is_empty) all.push_back({"icd", {{"variable", name}, {"value", value}}});
    return;
  }
  const std::string loader = is_empty ? find_loader(machine.files, machine.user) : "";
  const bool is_vendors = !loader.empty() && leads_to_mali(machine.files, loader);
  const std::size_t before = all.size();
  if (!is_vendors) gather_unnamed_drivers(machine, all);
  if (is_empty && all.size() == before) {
    all.push_back(
        {"icd",
         {{"folder", vendor_folder(machine.user)}, {"vendors_loader", is_vendors ? loader : ""}}});
  }
}

}  // namespace

bool Driver::is_named(std::string_view word) const {
  const std::string names = file_name(library) + " " + file_name(path) + " " + file_name(icd_file);
  return lower_case(names).find(word) != std::string::npos;
}

bool has_driver(const std::vector<Driver>& drivers, std::string_view word) {
  return std::any_of(drivers.begin(), drivers.end(), [&](const Driver& driver) {
    return driver.is_named(word) && !driver.path.empty();
  });
}

std::string elf_machine(const BoardFiles& files, const std::string& path) {
  const std::string head = files.text(path).substr(0, 20);
  if (head.size() < 20 || head.compare(1, 3, "ELF") != 0 || head[0] != '\x7f') return "";
  const bool is_little = head[5] == 1;
  const auto low = static_cast<unsigned char>(head[is_little ? 18 : 19]);
  const auto high = static_cast<unsigned char>(head[is_little ? 19 : 18]);
  constexpr std::pair<int, const char*> kMachines[] = {
      {3, "x86 (32 bit)"}, {40, "ARM (32 bit)"}, {62, "x86-64"}, {183, "AArch64"}, {243, "RISC-V"}};
  const int number = low + 256 * high;
  for (const auto& [machine, name] : kMachines) {
    if (machine == number) return name;
  }
  return fmt::format("ELF machine {}", number);
}

bool is_opencl_driver(const BoardFiles& files, const std::string& library) {
  // The loader contains the name of the entry point, too, but only the loader contains the name of
  // this variable.
  return files.contains(library, "clIcdGetPlatformIDsKHR") &&
         !files.contains(library, "OCL_ICD_VENDORS");
}

std::string find_library(const BoardFiles& files, const DoctorUser& user, const std::string& name) {
  if (name.find('/') != std::string::npos) return files.exists(name) ? name : "";
  // The dynamic loader skips libraries for other processors.
  std::string other;
  for (const std::string& folder : library_folders(files, user)) {
    const std::string path = folder + "/" + name;
    if (!files.exists(path)) continue;
    if (user.machine.empty() || elf_machine(files, path) == user.machine) return path;
    if (other.empty()) other = path;
  }
  return other;
}

std::string find_loader(const BoardFiles& files, const DoctorUser& user) {
  return find_library(files, user, "libOpenCL.so.1");
}

bool leads_to_mali(const BoardFiles& files, const std::string& library) {
  return lower_case(files.resolved(library)).find("mali") != std::string::npos;
}

std::vector<Driver> find_drivers(const BoardFiles& files, const DoctorUser& user) {
  const std::string named = user.variable("OCL_ICD_VENDORS");
  std::vector<std::string> icd_files;
  std::vector<Driver> drivers;
  if (named.empty() || files.is_folder(named)) {
    const std::string folder = (named.empty() ? vendor_folder(user) : named) + "/";
    for (const std::string& name : files.entries(folder)) {
      if (name.ends_with(".icd")) icd_files.push_back(folder + name);
    }
  } else if (named.ends_with(".icd")) {
    const bool is_bare = named.find('/') == std::string::npos;
    const std::string in_folder = vendor_folder(user) + "/" + named;
    icd_files = {is_bare && files.exists(in_folder) ? in_folder : named};
  } else {
    drivers.push_back({"", named, ""});
  }
  for (const std::string& file : icd_files) {
    drivers.push_back({file, std::string(without_byte_order_mark(files.line(file))), ""});
  }
  for (Driver& driver : drivers) {
    if (!driver.library.empty()) driver.path = find_library(files, user, driver.library);
  }
  return drivers;
}

void gather_drivers(const Machine& machine, EvidenceList& all) {
  const DoctorUser& user = machine.user;
  all.push_back(loader_evidence(machine));
  gather_icd_files(machine, all);
  const bool has_pocl = std::any_of(machine.drivers.begin(), machine.drivers.end(),
                                    [](const Driver& driver) { return driver.is_named("pocl"); });
  if (has_pocl) {
    all.push_back({"pocl", {{"unwritable_cache", user.unwritable_pocl_cache}}});
    all.push_back({"pocl", {{"affinity", user.variable("POCL_AFFINITY")}}});
  }
  if (!machine.probe) return;
  all.push_back({"cache",
                 {{"variable", user.variable("TILEWRIGHT_CACHE")},
                  {"folder", user.cache_folder},
                  {"shared", yes(user.cache_obstacle == to_text(Distrust::kWritable))},
                  {"obstacle", user.cache_obstacle}}});
}

}  // namespace tilewright
