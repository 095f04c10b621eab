// Defines a finding of `tilewright doctor`: a sentence, its severity, and what to do.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

// Severity of a finding.
enum class FindingState {
  kOk,
  kNote,     // works, but is slower or gives less comparable results than possible
  kProblem,  // OpenCL, or a device of this machine, cannot be used
};

// A finding.
struct Finding {
  std::string subject;  // one word for each kind: "icd", "node", "clock" ...
  FindingState state = FindingState::kOk;
  std::string seen;    // a sentence that names the file or device
  std::string advice;  // what to do, with the command; "": nothing
  bool operator==(const Finding&) const = default;
};
using Findings = std::vector<Finding>;

// Returns true if one of the findings is a problem.
bool has_problems(const Findings& findings);
// Returns "ok", "note" or "problem".
std::string to_text(FindingState state);
// Returns a line for each finding with its advice below, and the numbers of problems and notes.
std::string to_text(const Findings& findings);
// Returns {"problems": 1, "notes": 0, "findings": [{"subject", "state", "seen", "advice"}, ...]}.
std::string to_json_text(const Findings& findings);

}  // namespace tilewright
