// What did a tuning's time go into, and how much of it would suffice?
//
// Pure. For the summary, and the sentence that ends a tuning whose budget was too short.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/records/outcome.hpp"
#include "tuner/search/search_time.hpp"

namespace tilewright {

// "candidates 20 s, micro-benchmarks 8 s": the most first, what took less than half a second left
// out; "" for nothing.
std::string time_account(const std::map<std::string, double>& seconds);

// What went into an activity; 0: nothing.
double spent_on(const std::map<std::string, double>& seconds, const std::string& activity);

// "the search tried 30 candidates in 60 s, 30 a minute: measuring 50 %, compiling 40 %, waiting
// 10 %"; "" where none was tried.
std::string search_account(const SearchTime& time);

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

// What a candidate takes, about, by the built-in kernels, which were measured on all shapes: the
// quickest of them on as many as candidates are screened on. Candidates take longer to compile, but
// so many `compilers` do that ahead; one device takes the samples, `sampling_s` on a shape, of each
// and of a reference beside it. 0: none was measured.
double expected_candidate_s(const std::vector<Outcome>& outcomes, std::size_t screened,
                            std::size_t compilers, double sampling_s);

// Before searches begin: "the search has time for about 400 candidates at 0.7 s each", and, where
// that is few for its spaces, a longer budget. "" where need.candidate_s is not known.
std::string outlook_text(double search_s, const TimeNeed& need);

// Whole tens of seconds in which each search tries a few dozen candidates, more than the budget.
double sufficient_s(const TimeNeed& need);

}  // namespace tilewright
