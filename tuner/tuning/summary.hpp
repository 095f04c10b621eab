// What a tuning prints at its end.
//
// Pure: a journal's contents and the profile in, lines out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/journal/journal.hpp"

namespace tilewright {

// The winner on each problem beside the built-in kernel, their geometric mean, the portfolio's
// curve, what was not tuned, what makes the figures doubtful, how many candidates had which
// outcome, and what the time went into.
std::vector<std::string> summary_lines(const JournalContents& contents, const Profile& profile);
// What failed, with an example of each class.
std::vector<std::string> failure_lines(const JournalContents& contents);

// "2 build, 1 wrong": all classes but kOk; "" if there are none.
std::string failures_text(const std::map<OutcomeClass, int>& counts);

}  // namespace tilewright
