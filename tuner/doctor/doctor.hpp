// Why does OpenCL not work on this machine, or not as well as it could, and what is to be done?
//
// What boards are known to trip over, looked at in the files of the machine (BoardFiles: this
// one's, or a copy) and in what its drivers answered (OpenClProbe). Pure: nothing is asked, loaded
// or written here. docs/tune-your-board.md has the findings with the sources of each.
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

// Who runs the program, and how.
struct DoctorUser {
  std::string name;                                // "": unknown
  std::map<std::string, std::string> environment;  // of variables that matter, those that are set
  // May the user read and write a file of the machine? Asked with its path.
  std::function<bool(const std::string&)> may_use;
  // Why a library cannot be loaded here; none: it is only looked for.
  std::function<std::optional<std::string>(const std::string&)> why_not_loaded;
  // As elf_machine() names that of the program; "": unknown.
  std::string machine;
  std::string unwritable_pocl_cache;  // PoCL's cache folder, if the user cannot write it
};

// The variables that examine() looks at.
std::vector<std::string> doctor_variables();

// All findings, in the order in which one fixes things. `probe`: nullopt if the machine is not this
// one; `culprits`: ICD files whose driver, asked alone, failed, crashed or hung, with what it
// did.
Findings examine(const BoardFiles& files, const DoctorUser& user,
                 const std::optional<OpenClProbe>& probe,
                 const std::map<std::string, std::string>& culprits, const SearchPath& profiles);

}  // namespace tilewright
