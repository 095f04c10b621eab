// The table of everything that `tilewright doctor` knows: a condition, a sentence and a remedy
// each.
//
// Pure: evidence.hpp gathers the facts.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "tuner/doctor/finding.hpp"

namespace tilewright {

// One thing that was examined, a driver or a device node for example, and what is known about it.
struct Evidence {
  std::string subject;                       // of the finding
  std::map<std::string, std::string> facts;  // by name; "": does not hold, or unknown
};

struct Check {
  const char* subject;
  FindingState state;
  // What must hold, separated by blanks: `fact`, `!fact`, `fact=value`, `!fact=value` or
  // `fact<number`. A fact that was not gathered does not hold. "": always.
  const char* condition;
  const char* sentence;  // {fact}: its value
  const char* remedy;    // likewise; "": nothing is to be done
};
std::span<const Check> all_checks();

bool holds(const char* condition, const Evidence& evidence);

// The finding of the first check of its subject whose condition holds; nullopt: of none.
std::optional<Finding> finding_from(const Evidence& evidence);

}  // namespace tilewright
