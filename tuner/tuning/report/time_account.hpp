// Reports how a tuning spent its time, and which budget would be sufficient (time_division.hpp).
//
// These functions do not access a device. They are used for the summary and for the messages of a
// tuning whose budget is too short.
#pragma once

#include <map>
#include <string>

#include "tuner/tuning/time_division.hpp"

namespace tilewright {

// Returns for example "candidates 20 s, micro-benchmarks 8 s": the largest part first, without
// those below half a second; "" if there are none.
std::string time_account(const std::map<std::string, double>& seconds);

// Returns the message at the start of a tuning whose budget is probably too short for a profile:
// what it needs; "" if the budget is not too short.
std::string too_short_text(const TimeNeed& need, int shapes);

// Returns the message for a tuning that ended early: what there was no time for, how the time was
// spent, and a sufficient budget. `command` is the command that continues it (same_command()).
std::string shortage_text(const std::string& missing, const std::map<std::string, double>& spent_s,
                          const TimeNeed& need, const std::string& command);

// Returns a message for a search that tried few candidates for its spaces: their number, and a
// larger budget; "" if there were enough.
std::string few_candidates_text(int tried, const TimeNeed& need);

}  // namespace tilewright
