// Divides the budget of a tuning.
//
// These functions convert seconds to seconds and use no clock.
#pragma once

namespace tilewright {

// Returns the time that micro-benchmarks may still take, if their share is a fifth of the budget.
double left_for_rates_s(double budget_s, double spent_on_rates_s);

// One period of searches, with the decisions (finals, networks) that follow.
struct SearchPeriod {
  double budget_s = 0.0;
  double now_s = 0.0;
  double search_share = 0.7;  // of the remaining time
  double decided_in_s = 0.0;  // duration of the last decision; 0: there was none yet
  // When the period started, over all sessions. A period that was interrupted continues.
  double start_s = 0.0;
};
// Returns when the searches of a period end. The next decision gets at least as much time as the
// last one took.
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

}  // namespace tilewright
