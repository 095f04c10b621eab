// Contains the checks of `tilewright doctor`: for each a condition, a sentence and a remedy.
//
// evidence.hpp gathers the facts. These functions access neither files nor devices.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "tuner/doctor/finding.hpp"

namespace tilewright {

// Facts about one thing that was examined, for example a driver or a device node.
struct Evidence {
  std::string subject;                       // subject of the finding
  std::map<std::string, std::string> facts;  // by name; "": false or unknown
};

// A possible finding.
struct Check {
  const char* subject;
  FindingState state;
  // Terms that must all hold, separated by blanks: `fact`, `!fact`, `fact=value`, `!fact=value` or
  // `fact<number`. A fact that was not gathered counts as false. "": always true.
  const char* condition;
  const char* sentence;  // {fact} is replaced by its value
  const char* remedy;    // likewise; "": nothing needs to be done
};
// Returns all checks. Their order matters.
std::span<const Check> all_checks();

// Evaluates a condition.
bool holds(const char* condition, const Evidence& evidence);

// Returns the finding of the first check for this subject whose condition holds; nullopt if there
// is none.
std::optional<Finding> finding_from(const Evidence& evidence);

}  // namespace tilewright
