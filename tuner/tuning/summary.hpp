// Formats what a tuning prints at its end.
//
// The input is the contents of a journal and the profile, the output lines of text. These functions
// do not access a device.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/journal/journal.hpp"

namespace tilewright {

// What the tuning has gained: by the validation, or else by the finals; a table of that for each
// op; and what the profile does not cover.
std::vector<std::string> verdict_lines(const JournalContents& contents, const Profile& profile);
// Details: the winner on each problem, if there are few; the portfolio's curve, what makes the
// figures doubtful, how many candidates had which outcome, and what the time went into.
std::vector<std::string> summary_lines(const JournalContents& contents, const Profile& profile);
// Returns descriptions of failures, with an example for each class.
std::vector<std::string> failure_lines(const JournalContents& contents);

// Returns the numbers of outcomes of all classes except kOk, for example "2 build, 1 wrong"; "" if
// there are none.
std::string failures_text(const std::map<OutcomeClass, int>& counts);

}  // namespace tilewright
