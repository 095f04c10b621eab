// The checks of `tilewright doctor`: a table of conditions, each with a sentence and a remedy.
//
// These are pure functions of facts, which evidence.hpp gathers.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright {

// Severity of a finding.
enum class FindingState {
  kOk,
  kNote,     // works, but is slower or gives less comparable results than possible
  kProblem,  // OpenCL, or a device of this machine, cannot be used
};

struct Finding {
  std::string subject;  // one word for each kind: "icd", "node", "clock" ...
  FindingState state = FindingState::kOk;
  std::string seen;    // a sentence that names the file or device
  std::string advice;  // what to do, with the command; "": nothing
  bool operator==(const Finding&) const = default;
};
using Findings = std::vector<Finding>;

// Facts about one thing that was examined, for example a driver or a device node.
struct Evidence {
  std::string subject;                       // subject of the finding
  std::map<std::string, std::string> facts;  // by name; "": false or unknown
};

// A possible finding.
struct Check {
  const char* subject;
  FindingState state;
  // Terms that must hold, separated by blanks: `fact`, `!fact`, `fact=value`, `!fact=value` or
  // `fact<number`. A fact that was not gathered does not hold. An empty condition always holds.
  const char* condition;
  const char* sentence;  // what was found; {fact} is replaced by its value
  const char* remedy;    // what to do, with {fact} as in `sentence`; "": nothing
};
// Returns all checks. Their order matters.
std::span<const Check> all_checks();

// Evaluates a condition.
bool holds(const char* condition, const Evidence& evidence);

// The first fact in the condition or the texts that is not a fact of the check's subject, or "".
// The table itself is checked by the compiler.
std::string unknown_fact(const Check& check);

// The finding of the first check of the subject whose condition holds; nullopt if none does. Throws
// std::invalid_argument for a subject or a fact that no table of facts lists.
std::optional<Finding> finding_from(const Evidence& evidence);

}  // namespace tilewright
