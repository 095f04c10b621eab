#include "tuner/doctor/drivers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "profiles/base/text_file.hpp"

namespace tilewright {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_icd_file(const std::string& name) {
  return name.size() >= 4 && name.compare(name.size() - 4, 4, ".icd") == 0;
}

// Returns the ICD files that the loader reads. If a variable names a library instead, sets
// `library` to it.
std::vector<std::string> icd_files(const BoardFiles& files, const DoctorUser& user,
                                   std::string& library) {
  const std::string named = variable(user, "OCL_ICD_VENDORS");
  std::string folder = vendor_folder(user);
  if (!named.empty()) {
    if (files.is_folder(named)) {
      folder = named;
    } else if (is_icd_file(named)) {
      const bool is_bare = named.find('/') == std::string::npos;
      const std::string in_folder = folder + "/" + named;
      return {is_bare && files.exists(in_folder) ? in_folder : named};
    } else {
      library = named;
      return {};
    }
  }
  std::vector<std::string> found;
  for (const std::string& name : files.entries(folder)) {
    if (is_icd_file(name)) found.push_back(folder + "/" + name);
  }
  return found;
}

void add_folders(const BoardFiles& files, const std::string& configuration,
                 std::vector<std::string>& folders) {
  for (const std::string& line : split_into_lines(files.text(configuration).value_or(""))) {
    if (!line.empty() && line.front() == '/') folders.push_back(line);
  }
}

// Returns the folders in which the dynamic loader searches for libraries.
std::vector<std::string> library_folders(const BoardFiles& files, const DoctorUser& user) {
  std::string listed = variable(user, "LD_LIBRARY_PATH");
  std::replace(listed.begin(), listed.end(), ':', ' ');
  std::vector<std::string> folders = split_words(listed);
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

}  // namespace

bool is_driver_library(const KnownDriver& known, const std::string& path) {
  const std::string name = lower(file_name(path));
  // There are also builds of libmali without OpenCL, such as
  // libmali-midgard-t86x-r18p0-without-cl.so.
  return name.rfind(known.library, 0) == 0 && name.find(".so") != std::string::npos &&
         name.find("without-cl") == std::string::npos;
}

std::string find_known_driver(const BoardFiles& files, const DoctorUser& user,
                              const KnownDriver& known) {
  std::vector<std::string> folders = library_folders(files, user);
  const std::vector<std::string> usual = folders;
  for (const std::string& folder : usual) folders.push_back(folder + "/intel-opencl");
  folders.insert(folders.end(), {"/opt/rocm/lib", "/opt/rocm/opencl/lib"});
  for (const std::string& folder : folders) {
    for (const std::string& name : files.entries(folder)) {
      const std::string path = folder + "/" + name;
      if (!is_driver_library(known, path) || !files.exists(path)) continue;
      if (user.machine.empty() || elf_machine(files, path) == user.machine) return path;
    }
  }
  return "";
}

bool is_named(const Driver& driver, std::string_view word) {
  const std::string names = lower(file_name(driver.library) + " " + file_name(driver.path) + " " +
                                  file_name(driver.icd_file));
  return names.find(word) != std::string::npos;
}

bool has_driver(const std::vector<Driver>& drivers, std::string_view word) {
  return std::any_of(drivers.begin(), drivers.end(), [&](const Driver& driver) {
    return is_named(driver, word) && !driver.path.empty();
  });
}

std::string variable(const DoctorUser& user, const std::string& name) {
  const auto found = user.environment.find(name);
  return found == user.environment.end() ? "" : found->second;
}

std::string vendor_folder(const DoctorUser& user) {
  const std::string folder = variable(user, "OPENCL_VENDOR_PATH");
  return folder.empty() ? "/etc/OpenCL/vendors" : folder;
}

std::string elf_machine(const BoardFiles& files, const std::string& path) {
  const std::string head = files.text(path).value_or("").substr(0, 20);
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

bool leads_to_mali(const BoardFiles& files, const std::string& library) {
  return lower(files.resolved(library)).find("mali") != std::string::npos;
}

std::vector<Driver> find_drivers(const BoardFiles& files, const DoctorUser& user) {
  std::string library;
  std::vector<Driver> drivers;
  for (const std::string& file : icd_files(files, user, library)) {
    drivers.push_back({file, std::string(without_byte_order_mark(files.line(file))), ""});
  }
  if (!library.empty()) drivers.push_back({"", library, ""});
  for (Driver& driver : drivers) {
    if (!driver.library.empty()) driver.path = find_library(files, user, driver.library);
  }
  return drivers;
}

}  // namespace tilewright
