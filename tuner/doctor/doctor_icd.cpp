// Checks of the ICD files and of the libraries that they name: libOpenCL(7) of ocl-icd has the
// rules.
#include <fmt/format.h>

#include <algorithm>

#include "profiles/text_file.hpp"
#include "tuner/doctor/doctor_parts.hpp"

namespace tilewright {
namespace {

// One ICD file, or the variable that stands for it, and what is known of the library it names.
struct IcdCase {
  const BoardFiles& files;
  const DoctorUser& user;
  const Driver& driver;
  const std::vector<Driver>& all;           // of this machine
  const std::optional<OpenClProbe>& probe;  // of all drivers
  std::string from;                         // the ICD file or the variable
  std::string machine;                      // of the library
  std::optional<std::string> load_failure;  // of the library
};

struct IcdCheck {
  FindingState state;
  bool (*applies)(const IcdCase&);
  std::string (*sentence)(const IcdCase&);
  std::string (*remedy)(const IcdCase&);
};

// The first line of the ICD file, as the loader reads it.
std::string first_line(const IcdCase& c) {
  const std::string text = c.files.text(c.driver.icd_file).value_or("");
  return text.substr(0, text.find('\n'));
}

std::string what_surrounds_the_name(const IcdCase& c) {
  const std::string line = first_line(c);
  if (line.find('\r') != std::string::npos) return "a carriage return (CR LF line ends) after";
  return without_byte_order_mark(line).size() != line.size() ? "a byte-order mark before"
                                                             : "blanks around";
}

// An earlier ICD file that leads to the same library; nullptr: none.
const Driver* twin(const IcdCase& c) {
  const std::string path = c.files.resolved(c.driver.path);
  for (const Driver& other : c.all) {
    if (&other == &c.driver) break;
    if (!other.path.empty() && c.files.resolved(other.path) == path) return &other;
  }
  return nullptr;
}

bool lists_no_device(const IcdCase& c) {
  if (!c.probe) return false;
  const std::vector<std::string>& silent = c.probe->without_devices;
  return std::find(silent.begin(), silent.end(), c.driver.icd_file) != silent.end();
}

std::string names_library(const IcdCase& c) {
  return fmt::format("{} names {}", c.from, c.driver.path);
}

std::string how_to_drop(const IcdCase& c) {
  return c.driver.icd_file.empty() ? "unset OCL_ICD_VENDORS"
                                   : fmt::format("sudo rm '{}'", c.driver.icd_file);
}

// In the order of the questions; the first check that applies is the finding.
constexpr IcdCheck kIcdChecks[] = {
    {FindingState::kProblem, [](const IcdCase& c) { return c.driver.library.empty(); },
     [](const IcdCase& c) { return c.from + " is empty or cannot be read"; },
     [](const IcdCase&) {
       return std::string("write the name of the driver's library on its first line, or remove it");
     }},
    {FindingState::kProblem,
     [](const IcdCase& c) {
       return !c.driver.icd_file.empty() && first_line(c) != c.driver.library;
     },
     [](const IcdCase& c) {
       return fmt::format(
           "{} has {} the name {}: the loader takes it as a part of the name and "
           "finds no such library",
           c.from, what_surrounds_the_name(c), c.driver.library);
     },
     [](const IcdCase& c) {
       return fmt::format("echo {} | sudo tee '{}'", c.driver.library, c.driver.icd_file);
     }},
    {FindingState::kProblem, [](const IcdCase& c) { return c.driver.path.empty(); },
     [](const IcdCase& c) {
       return fmt::format("{} names {}, which is not there", c.from, c.driver.library);
     },
     [](const IcdCase& c) {
       return fmt::format("install the driver again, write the right path into {0}, or remove it",
                          c.from);
     }},
    {FindingState::kProblem, [](const IcdCase& c) { return c.machine.empty(); },
     [](const IcdCase& c) { return names_library(c) + ", which is no library"; },
     [](const IcdCase&) {
       return std::string("install the driver again: a download may have left a text in its place");
     }},
    {FindingState::kProblem,
     [](const IcdCase& c) { return !c.user.machine.empty() && c.machine != c.user.machine; },
     [](const IcdCase& c) {
       return fmt::format("{}, which is for {}; this program is for {}", names_library(c),
                          c.machine, c.user.machine);
     },
     [](const IcdCase&) {
       return std::string(
           "install the driver for the same architecture, or a tilewright for the driver's");
     }},
    {FindingState::kProblem, [](const IcdCase& c) { return c.load_failure.has_value(); },
     [](const IcdCase& c) {
       return fmt::format("{}, which does not load: {}", names_library(c), *c.load_failure);
     },
     [](const IcdCase& c) {
       return fmt::format("ldd {} shows libraries that are missing; install them", c.driver.path);
     }},
    {FindingState::kProblem,
     [](const IcdCase& c) { return !is_opencl_driver(c.files, c.driver.path); },
     [](const IcdCase& c) {
       return names_library(c) +
              ", which is no OpenCL driver: it lacks clIcdGetPlatformIDsKHR, or is the loader";
     },
     [](const IcdCase& c) {
       return fmt::format("write the driver's library into {}, or {}", c.from, how_to_drop(c));
     }},
    {FindingState::kNote, [](const IcdCase& c) { return twin(c) != nullptr; },
     [](const IcdCase& c) {
       return fmt::format("{}, as {} does: each of its devices is listed twice", names_library(c),
                          twin(c)->icd_file);
     },
     how_to_drop},
    {FindingState::kProblem,
     [](const IcdCase& c) { return lists_no_device(c) && c.probe->devices.empty(); },
     [](const IcdCase& c) { return names_library(c) + ", which lists no device"; },
     [](const IcdCase& c) {
       return fmt::format(
           "look for its device or for the right to use it in the findings below, "
           "or install another version of the driver{}",
           vendor_of(c.driver) == Vendor::kPocl
               ? "; POCL_DEBUG=all clinfo -l prints PoCL's own messages"
               : "");
     }},
    {FindingState::kNote, lists_no_device,
     [](const IcdCase& c) { return names_library(c) + ", which lists no device"; },
     [](const IcdCase& c) {
       return fmt::format("nothing, if its device is not in this machine ({} removes it)",
                          how_to_drop(c));
     }},
    {FindingState::kOk, [](const IcdCase&) { return true; },
     [](const IcdCase& c) {
       return names_library(c) + (c.user.why_not_loaded ? ", which loads" : ", for " + c.machine);
     },
     [](const IcdCase&) { return std::string(); }},
};

Finding icd_finding(IcdCase c) {
  c.from = c.driver.icd_file.empty() ? "OCL_ICD_VENDORS" : c.driver.icd_file;
  if (!c.driver.path.empty()) c.machine = elf_machine(c.files, c.driver.path);
  const bool can_load =
      !c.machine.empty() && (c.user.machine.empty() || c.machine == c.user.machine);
  if (can_load && c.user.why_not_loaded) c.load_failure = c.user.why_not_loaded(c.driver.path);
  for (const IcdCheck& check : kIcdChecks) {
    if (check.applies(c)) return {"icd", check.state, check.sentence(c), check.remedy(c)};
  }
  return {};
}

// A driver's library and the ICD file by which its packages name it.
struct KnownDriver {
  std::string_view library;  // its name begins like this, in small letters
  const char* icd_file;
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

bool is_library_of(const KnownDriver& known, const std::string& path) {
  const std::string name = lower(file_name(path));
  // The same GPU's libmali is also built without OpenCL: libmali-midgard-t86x-r18p0-without-cl.so.
  return name.rfind(known.library, 0) == 0 && name.find(".so") != std::string::npos &&
         name.find("without-cl") == std::string::npos;
}

// The first such library that this program could load; "": none.
std::string find_known_driver(const BoardFiles& files, const DoctorUser& user,
                              const KnownDriver& known) {
  std::vector<std::string> folders = library_folders(files, user);
  const std::vector<std::string> usual = folders;
  for (const std::string& folder : usual) folders.push_back(folder + "/intel-opencl");
  folders.insert(folders.end(), {"/opt/rocm/lib", "/opt/rocm/opencl/lib"});
  for (const std::string& folder : folders) {
    for (const std::string& name : files.entries(folder)) {
      const std::string path = folder + "/" + name;
      if (!is_library_of(known, path) || !files.exists(path)) continue;
      if (user.machine.empty() || elf_machine(files, path) == user.machine) return path;
    }
  }
  return "";
}

// Drivers that are here although no ICD file names them.
Findings unnamed_drivers(const BoardFiles& files, const DoctorUser& user,
                         const std::vector<Driver>& drivers) {
  Findings findings;
  for (const KnownDriver& known : kKnownDrivers) {
    const bool is_named = std::any_of(drivers.begin(), drivers.end(), [&](const Driver& driver) {
      return is_library_of(known, driver.library) || is_library_of(known, driver.path);
    });
    const std::string path = is_named ? "" : find_known_driver(files, user, known);
    if (path.empty()) continue;
    findings.push_back({"icd", drivers.empty() ? FindingState::kProblem : FindingState::kNote,
                        fmt::format("{} is here, and no ICD file names it{}", path,
                                    drivers.empty() ? ", so that clinfo shows 0 platforms" : ""),
                        fmt::format("sudo mkdir -p {0}; echo {1} | sudo tee {0}/{2}", kVendorFolder,
                                    path, known.icd_file)});
  }
  return findings;
}

Findings without_icd_files(const BoardFiles& files, const DoctorUser& user) {
  const std::string loader = find_library(files, user, kLoader);
  const std::string where = vendor_folder(user);
  if (!loader.empty() && leads_to_mali(files, loader)) {
    return {
        note("icd",
             fmt::format("{} names no driver, but {} is the vendor's driver itself", where, loader),
             "nothing, as long as no second driver is wanted")};
  }
  Findings findings = unnamed_drivers(files, user, {});
  if (!findings.empty()) return findings;
  return {problem("icd", fmt::format("{} names no driver, so that clinfo shows 0 platforms", where),
                  "install an OpenCL driver: the vendor's libmali for the kernel driver kbase, "
                  "mesa-opencl-icd for panfrost and panthor, pocl-opencl-icd for the CPU "
                  "(docs/tune-your-board.md has the commands for each board)")};
}

}  // namespace

std::string icd_library(const BoardFiles& files, const std::string& icd_file) {
  return std::string(without_byte_order_mark(files.line(icd_file)));
}

bool is_opencl_driver(const BoardFiles& files, const std::string& library) {
  // The loader also knows the driver's entry point. Its own variable tells it apart.
  return files.contains(library, "clIcdGetPlatformIDsKHR") &&
         !files.contains(library, "OCL_ICD_VENDORS");
}

Findings icd_findings(const BoardFiles& files, const DoctorUser& user,
                      const std::vector<Driver>& drivers, const std::optional<OpenClProbe>& probe) {
  const auto variable = user.environment.find("OCL_ICD_VENDORS");
  const bool is_redirected = variable != user.environment.end();
  if (drivers.empty() && is_redirected) {
    return {problem("icd", fmt::format("OCL_ICD_VENDORS={} names no driver", variable->second),
                    "unset OCL_ICD_VENDORS")};
  }
  if (drivers.empty()) return without_icd_files(files, user);
  Findings findings;
  for (const Driver& driver : drivers) {
    findings.push_back(icd_finding({files, user, driver, drivers, probe, "", "", std::nullopt}));
  }
  if (is_redirected) return findings;
  for (Finding& finding : unnamed_drivers(files, user, drivers)) {
    // The findings about kbase and libmali cover this.
    if (finding.seen.find("libmali") != std::string::npos) continue;
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace tilewright
