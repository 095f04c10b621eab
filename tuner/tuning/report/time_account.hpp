// Reports how a tuning spent its time, and which budget would be sufficient.
//
// These functions do not access a device. They are used for the summary and for the message at the
// end of a tuning whose budget was too short.
#pragma once

#include <map>
#include <string>

namespace tilewright {

// Returns for example "candidates 20 s, micro-benchmarks 8 s": the largest part first, without
// those below half a second; "" if there are none.
std::string time_account(const std::map<std::string, double>& seconds);

// Returns the seconds spent on an activity; 0 if there are none.
double spent_on(const std::map<std::string, double>& seconds, const std::string& activity);

// What determines a sufficient budget.
struct TimeNeed {
  double fixed_s = 0.0;       // needed once by any tuning: micro-benchmarks and built-in kernels
  double candidate_s = 0.0;   // per candidate; 0: unknown
  int searches = 1;           // number of spaces to search
  double search_share = 0.7;  // part of the time that searches get
  double budget_s = 0.0;      // the budget that was not sufficient
  std::string command = "the same command";  // with which the tuning continues (same_command())
};

// Returns the message for a tuning that ended early: what there was no time for, how the time was
// spent, and a sufficient budget.
std::string shortage_text(const std::string& missing, const std::map<std::string, double>& spent_s,
                          const TimeNeed& need);

// Returns a message for a search that tried few candidates for its spaces: their number, and a
// larger budget; "" if there were enough.
std::string few_candidates_text(int tried, const TimeNeed& need);

// Returns a budget in which each search can try a few dozen candidates, larger than the present
// one and rounded up to tens of seconds.
double sufficient_s(const TimeNeed& need);

}  // namespace tilewright
