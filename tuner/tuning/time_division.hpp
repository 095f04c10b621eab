// How is a tuning's budget divided?
//
// Pure: seconds in, seconds out; no clock.
#pragma once

namespace tilewright {

// What micro-benchmarks may still take, of a fifth of the budget.
double left_for_rates_s(double budget_s, double spent_on_rates_s);

// A turn of searches with the decisions (finals, networks) that follow it.
struct SearchTurn {
  double budget_s = 0.0;
  double now_s = 0.0;
  double search_share = 0.7;  // of the time that is left
  double decided_in_s = 0.0;  // that the last decision took; 0: there was none yet
  // When the turn began, of all sessions: one that was interrupted goes on.
  double start_s = 0.0;
};
// When the searches of a turn end: the next decision gets no less time than the last one took.
double searches_end_s(const SearchTurn& turn);
// Is there time for another turn? For a candidate, at least.
bool is_worth_searching(const SearchTurn& turn, double candidate_s);

// One space of several that are searched one after the other.
struct SpaceTime {
  double left_s = 0.0;             // until the end of all
  double spent_from_here_s = 0.0;  // in this one and those after it
  double weight = 1.0;
  double weight_from_here = 1.0;
};
// What a space may take in all: what earlier ones did not use goes to it and those after it.
double share_of_space_s(const SpaceTime& time);

}  // namespace tilewright
