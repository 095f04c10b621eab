// Examines why OpenCL does not work on a machine, or not as well as it could, and what to do about
// it.
//
// It looks for known problems of boards in the files of the machine (BoardFiles: this machine, or a
// copy of another) and in the replies of its drivers (OpenClProbe). It only evaluates them: no
// driver is loaded and nothing is written here. docs/tune-your-board.md lists the findings with
// their sources.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/profile_search.hpp"
#include "tuner/doctor/board_files.hpp"
#include "tuner/doctor/finding.hpp"
#include "tuner/doctor/opencl_probe.hpp"

namespace tilewright {

// The user and the environment of the program.
struct DoctorUser {
  std::string name;  // "": unknown
  // The variables of doctor_variables() that are set and not empty.
  std::map<std::string, std::string> environment;
  // Returns true if the user may read and write the file with this path.
  std::function<bool(const std::string&)> may_use;
  // Returns why the program cannot load a library; nullopt if it can. If there is no such function,
  // libraries are only searched for.
  std::function<std::optional<std::string>(const std::string&)> why_not_loaded;
  // The machine that the program is built for, as elf_machine() names it; "": unknown.
  std::string machine;
  std::string unwritable_pocl_cache;  // PoCL's cache folder if the user cannot write to it, else ""
  std::string cache_folder;           // where the library keeps compiled kernels; "": nowhere
  std::string cache_obstacle;  // why it does not: "can be written by other users"; "": it does
};

// Returns the names of the variables that examine() uses.
std::vector<std::string> doctor_variables();

// Returns all findings, in the order in which one should fix them. `probe` is nullopt if the files
// belong to another machine. `culprits` maps the ICD files whose driver, queried alone, failed,
// crashed or hung to what it did. `profiles` is where to look for profiles.
Findings examine(const BoardFiles& files, const DoctorUser& user,
                 const std::optional<OpenClProbe>& probe,
                 const std::map<std::string, std::string>& culprits, const SearchPath& profiles);

}  // namespace tilewright
