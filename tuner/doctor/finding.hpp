// What `tilewright doctor` found: a sentence, how bad it is, and what to do.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

enum class FindingState {
  kOk,
  kNote,     // works, but slower, or less comparable, than it could
  kProblem,  // OpenCL, or a device of this machine, cannot be used like this
};

struct Finding {
  std::string subject;  // "icd", "node", "clock" ...: one word for each kind
  FindingState state = FindingState::kOk;
  std::string seen;    // a sentence, with the file or device that it is about
  std::string advice;  // what to do, with the command; "": nothing
  bool operator==(const Finding&) const = default;
};
using Findings = std::vector<Finding>;

bool has_problems(const Findings& findings);
// "ok", "note", "problem".
std::string to_text(FindingState state);
// A line for each, its advice below it, and the count of problems and notes.
std::string to_text(const Findings& findings);
// {"problems": 1, "notes": 0, "findings": [{"subject", "state", "seen", "advice"}, ...]}
std::string to_json_text(const Findings& findings);

}  // namespace tilewright
