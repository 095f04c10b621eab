// Divides the budget of a tuning between its stages, and computes which budget is sufficient.
//
// No other file divides budgets. These functions convert seconds to seconds and use no clock. The
// order is: micro-benchmarks, built-in kernels, the first candidate of each op, the searches,
// finals, validation, networks, further periods, and products that are held out. Until each op has
// a candidate, the rest of the budget is for candidates, because no other stage is useful without.
#pragma once

#include <optional>

#include "tuner/tuning/tune_options.hpp"

namespace tilewright {

// Returns the time that micro-benchmarks may still take, if their share is a fifth of the budget.
double left_for_rates_s(double budget_s, double spent_on_rates_s);

// Returns when the measurement of the built-in kernels is interrupted until each op has a
// candidate.
double built_in_end_s(double budget_s);

// Returns the part of the total time that passes before pack kernels and finals start.
double search_share(const TuneOptions& options);

// One period of searches, with the decisions (finals, networks) that follow.
struct SearchPeriod {
  double budget_s = 0.0;
  double now_s = 0.0;
  double search_share = 0.7;  // of the remaining time
  double decided_in_s = 0.0;  // duration of the last decision; 0: there was none yet
  // When the period started, over all sessions. A period that was interrupted continues.
  double start_s = 0.0;
  bool lacks_candidates = false;  // an op has no candidate yet
};
// Returns when the searches of a period end. The next decision gets at least as much time as the
// last one took; but until each op has a candidate, there is nothing to decide.
double searches_end_s(const SearchPeriod& period);
// Returns true if there is time for another period with at least one candidate.
bool is_worth_searching(const SearchPeriod& period, double candidate_s);

// One of several spaces that are searched one after the other.
struct SpaceTime {
  double left_s = 0.0;             // until the end of all searches
  double spent_from_here_s = 0.0;  // spent on this space and those after it
  double weight = 1.0;
  double weight_from_here = 1.0;
};
// Returns the total time for a space. Time that earlier ones did not use is shared by this one and
// those after it.
double share_of_space_s(const SpaceTime& time);

// Returns the time for pack and reduction kernels of the finalists, and the same for those of
// networks.
double auxiliaries_s(double budget_s);

// Returns the time at which finals that start now must end, leaving the time for networks. Late
// finals, such as those of a second period, share the remaining time with networks in the same
// ratio. `end_s` is the end of all that may change the choice.
double finals_end_s(const TuneOptions& options, double end_s, double now_s);

// When the parts of a validation must end, on the journal's clock in seconds.
struct ValidationTimes {
  double until_s = 0.0;
  // The later end of a validation while choices are bad and become better. It may use time of
  // networks.
  double latest_s = 0.0;
};

// Returns the times of a validation that starts now. `end_s` as for finals_end_s().
ValidationTimes validation_times(const TuneOptions& options, double end_s, double now_s);

// Returns the time at which further finals must end, on the journal's clock in seconds.
// `networks_start_s` is the time at which the stage for networks started, and `now_s` the present
// time. Further finals may select other kernels, for which networks need the same time again.
// Returns nullopt if too little time is left.
std::optional<double> further_finals_end_s(double budget_s, double networks_start_s, double now_s);

// Returns the seconds of the budget for products that are held out: 5 % of it, or as much as the
// smallest number that counts (kMinHeldOut) takes if each takes `product_s`, but at most 10 %. 0
// if the tuning is not validated, or only a part of one (options.shards).
double held_out_s(const TuneOptions& options, double product_s);

// Number of candidates that are enough for a search: starting points, and some of its own.
inline constexpr double kEnoughCandidates = 30.0;

// What determines a sufficient budget. Proposed budgets are multiples of ten seconds.
struct TimeNeed {
  double fixed_s = 0.0;           // needed once by any tuning: micro-benchmarks, built-in kernels
  double candidate_s = 0.0;       // per candidate; 0: unknown
  int ops = 1;                    // number of ops
  int searches = 1;               // number of spaces to search
  double search_share = 0.7;      // part of the time that searches get
  double budget_s = 0.0;          // the present budget
  bool lacks_candidates = false;  // it was too short for a candidate of each op
};
// Returns a budget in which each op probably gets a candidate, and there are finals. It is clearly
// larger than one that was too short.
double first_profile_s(const TimeNeed& need);
// Returns a budget in which each search can try enough candidates, clearly larger than the present
// one.
double sufficient_s(const TimeNeed& need);

}  // namespace tilewright
