#include "runtime/device/shipped_profiles.hpp"

#include <link.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

struct OwnObject {
  std::uintptr_t address;  // address of some code of this library
  std::string name;        // path of the file that contains it, as reported by the loader
};

// Callback of dl_iterate_phdr. Stops at the file that contains the address.
int note_owner(dl_phdr_info* object, std::size_t, void* data) {
  auto& own = *static_cast<OwnObject*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || own.address - begin >= segment.p_memsz) continue;
    // The loader reports no name for the program itself.
    const bool is_program = object->dlpi_name == nullptr || *object->dlpi_name == '\0';
    own.name = is_program ? "/proc/self/exe" : object->dlpi_name;
    return 1;
  }
  return 0;
}

}  // namespace

std::string own_file() {
  OwnObject own{reinterpret_cast<std::uintptr_t>(&note_owner), ""};
  dl_iterate_phdr(note_owner, &own);
  if (own.name.empty()) return "";
  std::error_code code;
  const fs::path file = fs::canonical(own.name, code);
  return code ? "" : file.string();
}

std::string profiles_near(const std::string& file) {
  fs::path folder = fs::path(file).parent_path();
  while (!folder.empty()) {
    const fs::path profiles = folder / "share/tilewright/profiles";
    std::error_code code;
    // Links are resolved, because the owner of the folder is checked later, and a link could lead
    // elsewhere by then.
    const fs::path real = fs::canonical(profiles, code);
    if (!code && fs::is_directory(real, code)) return real.string();
    if (folder == folder.parent_path()) break;  // at the root
    folder = folder.parent_path();
  }
  return "";
}

OwnProfiles own_profiles(const std::string& library_file) {
  OwnProfiles own{profiles_near(library_file)};
  struct stat status {};
  if (::stat(library_file.c_str(), &status) == 0) own.owner = status.st_uid;
  return own;
}

std::vector<std::string> shipped_profile_folders(const std::string& library_file,
                                                 const std::string& installed) {
  std::vector<std::string> folders;
  const std::string near = profiles_near(library_file);
  if (!near.empty()) folders = {near, near + "/starter"};
  if (near != installed) folders.insert(folders.end(), {installed, installed + "/starter"});
  return folders;
}

}  // namespace tilewright
