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

// Returns the winner on each problem compared with the built-in kernel and the geometric mean of
// these ratios, the curve of the portfolio, the ops that were not tuned, reasons to doubt the
// results, the number of candidates by outcome, and how the time was spent.
std::vector<std::string> summary_lines(const JournalContents& contents, const Profile& profile);
// Returns descriptions of failures, with an example for each class.
std::vector<std::string> failure_lines(const JournalContents& contents);

// Returns the numbers of outcomes of all classes except kOk, for example "2 build, 1 wrong"; "" if
// there are none.
std::string failures_text(const std::map<OutcomeClass, int>& counts);

}  // namespace tilewright
