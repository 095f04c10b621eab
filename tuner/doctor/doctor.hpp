// Examines why OpenCL does not work on a machine, or not as well as it could, and what to do about
// it.
//
// It looks for known problems of boards in the files of the machine (BoardFiles: this machine, or a
// copy of another) and in the replies of its drivers (OpenClProbe). Drivers are loaded only in
// worker processes, and nothing is written. docs/tune-your-board.md lists the findings.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/profile_search.hpp"
#include "tuner/doctor/board_files.hpp"
#include "tuner/doctor/checks.hpp"
#include "tuner/doctor/opencl_probe.hpp"
#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// The user and the environment of the program.
struct DoctorUser {
  std::string name;  // "": unknown
  // The variables that the findings depend on. An empty one counts as not set.
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

  // Returns the value of a variable in the environment; "" if it is not set.
  std::string variable(const std::string& variable) const;
};

// Returns all findings, in the order in which one should fix them. `probe` is nullopt if the files
// belong to another machine. `culprits` maps the ICD files whose driver, queried alone, failed,
// crashed or hung to what it did. `profiles` is where to look for profiles.
Findings examine(const BoardFiles& files, const DoctorUser& user,
                 const std::optional<OpenClProbe>& probe,
                 const std::map<std::string, std::string>& culprits, const SearchPath& profiles);

// Examines this machine for root "/", and otherwise only the files below the root. Throws
// UsageError if the root is not a folder.
Findings findings_below(const std::string& root);

// Returns true if one of the findings is a problem.
bool has_problems(const Findings& findings);
// Returns "ok", "note" or "problem".
std::string to_text(FindingState state);
// Returns a line for each finding with its advice below, and the numbers of problems and notes.
std::string to_text(const Findings& findings);
// Returns {"problems": 1, "notes": 0, "findings": [{"subject", "state", "seen", "advice"}, ...]}.
std::string to_json_text(const Findings& findings);

// Returns the findings to show before a tuning: all problems, and the notes that concern the
// device, each as "note: seen" with the advice on a second line. It leaves out that there is no
// profile yet (the tuning creates one), for CPUs all notes about GPUs, and what the device's own
// warning says already.
std::vector<std::string> lines_before_tuning(const Findings& findings, const DeviceInfo& device);

}  // namespace tilewright
