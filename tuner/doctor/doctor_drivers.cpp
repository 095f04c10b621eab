// Finds the loader, the ICD files and the libraries that they name: libOpenCL(7) of ocl-icd has the
// rules.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tuner/doctor/doctor_parts.hpp"

namespace tilewright {
namespace {

std::string variable(const DoctorUser& user, const std::string& name) {
  const auto found = user.environment.find(name);
  return found == user.environment.end() ? "" : found->second;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// The .icd files that the loader reads; `library`: instead of them, what a variable names.
std::vector<std::string> icd_files(const BoardFiles& files, const DoctorUser& user,
                                   std::string& library) {
  const std::string named = variable(user, "OCL_ICD_VENDORS");
  std::string folder = vendor_folder(user);
  if (!named.empty()) {
    if (files.is_folder(named)) {
      folder = named;
    } else if (ends_with(named, ".icd")) {
      const bool bare = named.find('/') == std::string::npos;
      const std::string beside = folder + "/" + named;
      return {bare && files.exists(beside) ? beside : named};
    } else {
      library = named;
      return {};
    }
  }
  std::vector<std::string> found;
  for (const std::string& name : files.entries(folder)) {
    if (ends_with(name, ".icd")) found.push_back(folder + "/" + name);
  }
  return found;
}

void add_folders(const BoardFiles& files, const std::string& configuration,
                 std::vector<std::string>& folders) {
  for (const std::string& line : lines_of(files.text(configuration).value_or(""))) {
    if (!line.empty() && line.front() == '/') folders.push_back(line);
  }
}

// `missing`: functions that it lacks.
Finding vendors_loader(const BoardFiles& files, const std::string& path,
                       const std::vector<std::string>& missing = {}) {
  const std::string lacks =
      missing.empty() ? "" : fmt::format("; it has no {}", fmt::join(missing, ", "));
  return note("loader",
              fmt::format("{} is the vendor's driver itself ({}): ICD files are not read, and no "
                          "other driver is seen{}",
                          path, files.resolved(path), lacks),
              "nothing, or, for several drivers at once: install ocl-icd-libopencl1 and name the "
              "driver in an ICD file");
}

// The OpenCL library that the program called when it was asked for devices.
Finding called_loader(const BoardFiles& files, const OpenClLoader& loader) {
  constexpr const char* kInstall =
      "sudo apt install ocl-icd-libopencl1, and take the folder of the other library out of "
      "LD_LIBRARY_PATH and /etc/ld.so.conf.d";
  if (loader.path.empty()) {
    return problem(
        "loader", fmt::format("no OpenCL library can be loaded: {}", fmt::join(loader.tried, "; ")),
        "sudo apt install ocl-icd-libopencl1, or name a library in TILEWRIGHT_OPENCL");
  }
  if (leads_to_mali(files, loader.path)) {
    return vendors_loader(files, loader.path, loader.missing);
  }
  if (!loader.missing.empty()) {
    return note("loader",
                fmt::format("{} is the loader of a vendor, for OpenCL 1.1: it has no {}",
                            loader.path, fmt::join(loader.missing, ", ")),
                kInstall);
  }
  if (!loader.has_usual_versions) {
    return note(
        "loader",
        fmt::format("{} is the loader of a vendor: its symbol versions are not those of the "
                    "usual loader, and it may not read ICD files",
                    loader.path),
        fmt::format("nothing, if all devices are listed; else {}", kInstall));
  }
  return ok("loader", fmt::format("{} is called", loader.path));
}

}  // namespace

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string vendor_folder(const DoctorUser& user) {
  const std::string folder = variable(user, "OPENCL_VENDOR_PATH");
  return folder.empty() ? kVendorFolder : folder;
}

std::string elf_machine(const BoardFiles& files, const std::string& path) {
  const std::string head = files.text(path).value_or("").substr(0, 20);
  if (head.size() < 20 || head.compare(0, 4,
                                       "\x7f"
                                       "ELF") != 0) {
    return "";
  }
  const bool little = head[5] == 1;
  const auto low = static_cast<unsigned char>(head[little ? 18 : 19]);
  const auto high = static_cast<unsigned char>(head[little ? 19 : 18]);
  switch (const int machine = low + 256 * high) {
    case 3:
      return "x86 (32 bit)";
    case 40:
      return "ARM (32 bit)";
    case 62:
      return "x86-64";
    case 183:
      return "AArch64";
    case 243:
      return "RISC-V";
    default:
      return fmt::format("ELF machine {}", machine);
  }
}

std::vector<std::string> library_folders(const BoardFiles& files, const DoctorUser& user) {
  std::vector<std::string> folders;
  std::string listed = variable(user, "LD_LIBRARY_PATH");
  std::replace(listed.begin(), listed.end(), ':', ' ');
  for (const std::string& folder : words_of(listed)) folders.push_back(folder);
  add_folders(files, "/etc/ld.so.conf", folders);
  for (const std::string& name : files.entries("/etc/ld.so.conf.d")) {
    add_folders(files, "/etc/ld.so.conf.d/" + name, folders);
  }
  for (const char* folder : {"/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib"}) {
    folders.emplace_back(folder);
  }
  for (const std::string& name : files.entries("/usr/lib")) {
    if (name.find("-linux-gnu") != std::string::npos) folders.push_back("/usr/lib/" + name);
  }
  return folders;
}

std::string find_library(const BoardFiles& files, const DoctorUser& user, const std::string& name) {
  if (name.find('/') != std::string::npos) return files.exists(name) ? name : "";
  // The dynamic loader passes over libraries for other processors.
  std::string other;
  for (const std::string& folder : library_folders(files, user)) {
    const std::string path = folder + "/" + name;
    if (!files.exists(path)) continue;
    if (user.machine.empty() || elf_machine(files, path) == user.machine) return path;
    if (other.empty()) other = path;
  }
  return other;
}

bool leads_to_mali(const BoardFiles& files, const std::string& library) {
  return lower(files.resolved(library)).find("mali") != std::string::npos;
}

std::vector<Driver> drivers_of(const BoardFiles& files, const DoctorUser& user) {
  std::string library;
  std::vector<Driver> drivers;
  for (const std::string& file : icd_files(files, user, library)) {
    drivers.push_back({file, icd_library(files, file), ""});
  }
  if (!library.empty()) drivers.push_back({"", library, ""});
  for (Driver& driver : drivers) {
    if (!driver.library.empty()) driver.path = find_library(files, user, driver.library);
  }
  return drivers;
}

Vendor vendor_of(const Driver& driver) {
  const std::string name = lower(file_name(driver.library) + " " + file_name(driver.path) + " " +
                                 file_name(driver.icd_file));
  if (name.find("mali") != std::string::npos) return Vendor::kMali;
  if (name.find("rusticl") != std::string::npos) return Vendor::kRusticl;
  if (name.find("mesa") != std::string::npos) return Vendor::kClover;
  return name.find("pocl") != std::string::npos ? Vendor::kPocl : Vendor::kOther;
}

Findings loader_findings(const BoardFiles& files, const DoctorUser& user,
                         const std::optional<OpenClProbe>& probe) {
  if (probe && probe->loader) return {called_loader(files, *probe->loader)};
  const std::string path = find_library(files, user, kLoader);
  if (path.empty()) {
    return {problem("loader", fmt::format("{} is not in the folders of libraries", kLoader),
                    "sudo apt install ocl-icd-libopencl1")};
  }
  return {leads_to_mali(files, path) ? vendors_loader(files, path)
                                     : ok("loader", fmt::format("{} is there", path))};
}

}  // namespace tilewright
