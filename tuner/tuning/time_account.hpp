// What did a tuning's time go into, and how much of it would suffice?
//
// Pure. For the summary, and the sentence that ends a tuning whose budget was too short.
#pragma once

#include <map>
#include <string>

namespace tilewright {

// "candidates 20 s, micro-benchmarks 8 s": the most first, what took less than half a second left
// out; "" for nothing.
std::string time_account(const std::map<std::string, double>& seconds);

// What went into an activity; 0: nothing.
double spent_on(const std::map<std::string, double>& seconds, const std::string& activity);

struct TimeNeed {
  double fixed_s = 0.0;       // what any tuning needs once: micro-benchmarks, built-in kernels
  double candidate_s = 0.0;   // of one candidate; 0: unknown
  int searches = 1;           // spaces to search
  double search_share = 0.7;  // part of the time that searches get
  double budget_s = 0.0;      // what did not suffice
};

// The sentence that ends a tuning: what the budget left no time for, where it went, what would
// suffice.
std::string shortage_text(const std::string& missing, const std::map<std::string, double>& spent_s,
                          const TimeNeed& need);

// At the end of a search that was short for its spaces: how many candidates it tried, and a longer
// budget; "" if they were enough.
std::string few_candidates_text(int tried, const TimeNeed& need);

// Whole tens of seconds in which each search tries a few dozen candidates, more than the budget.
double sufficient_s(const TimeNeed& need);

}  // namespace tilewright
