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

// Returns lines that say how much faster calls are with the profile (from the validation, or
// otherwise from the finals), a table of this for each op, and which products are not covered.
std::vector<std::string> verdict_lines(const JournalContents& contents, const Profile& profile);
// Returns warnings about the figures, and the number of candidates with each outcome. `verbose`:
// also the winner on each problem, if there are few; the speed with fewer kernels, the error of
// models, and the use of time.
std::vector<std::string> summary_lines(const JournalContents& contents, const Profile& profile,
                                       bool verbose);
// Returns descriptions of failures, with an example for each class.
std::vector<std::string> failure_lines(const JournalContents& contents);
// Returns a warning if the clock changed during samples that had to be used; "" otherwise.
std::string moved_clock_text(const JournalContents& contents);

// Returns the numbers of outcomes of all classes except kOk, for example "2 build, 1 wrong"; "" if
// there are none.
std::string failures_text(const std::map<OutcomeClass, int>& counts);

}  // namespace tilewright
